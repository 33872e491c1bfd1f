import type { Span } from '@opentelemetry/api';
import type { ClientBase, DatabaseError } from 'pg';
import { failSpan, startClientSpan } from '../../common/tracing';

const OPERATION = /^\s*(?:WITH\b.*?\b(?=SELECT\b|INSERT\b|UPDATE\b|DELETE\b))?(START TRANSACTION|\w+)/is;
const TABLE = /\b(?:FROM|INTO|UPDATE)\s+(?:ONLY\s+)?"?(\w+)/i;

/**
 * Adds a span for each statement that a request or another traced work sends over this connection. Spans have neither
 * the text of the statement nor its parameters.
 */
export function traceStatements(client: ClientBase): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const tracedQuery = (...args: unknown[]) => {
    const [text] = args;
    const span = typeof text === 'string' ? startStatementSpan(text) : null;
    const result = query(...args);
    if (span) endAfter(result, span);
    return result;
  };
  client.query = tracedQuery as typeof client.query;
}

function startStatementSpan(sql: string): Span | null {
  const { operation, table } = summarizeStatement(sql);
  const summary = table ? `${operation} ${table}` : operation;
  return startClientSpan(summary, {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    'db.collection.name': table,
    'db.query.summary': summary,
  });
}

/** Returns the operation, and the first table that the statement names, if it has one. */
export function summarizeStatement(sql: string): { operation: string; table: string | undefined } {
  return { operation: (OPERATION.exec(sql)?.[1] ?? 'OTHER').toUpperCase(), table: TABLE.exec(sql)?.[1] };
}

/** A statement with a callback returns no promise. */
function endAfter(result: unknown, span: Span): void {
  if (!(result instanceof Promise)) return span.end();
  result.then(
    () => span.end(),
    (error: Partial<DatabaseError>) => {
      // The message of a driver error may contain values.
      failSpan(span, error.code ?? 'connection_lost');
      span.end();
    },
  );
}
