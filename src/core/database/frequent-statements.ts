import type { ClientBase } from 'pg';

/** How often a text is executed before it gets a name. */
const EXECUTIONS_BEFORE_NAME = 5;
/** Bounds the memory of each server process, which caches a plan per name. */
const MAX_NAMES = 200;
/** Texts that are counted at a time, such as those with a list of varying length. */
const MAX_COUNTED_TEXTS = 1_000;
/** A `*` as a column, neither the argument of `count` nor a multiplication. */
const WILDCARD = /(?:\b(?:SELECT|RETURNING|ALL|DISTINCT(?: ON \([^()]*\))?)\s+|,\s*|\.)\*/i;
/** Selects what a query in parentheses returns, whose columns decide. */
const OUTER_SELECT = /^\s*SELECT \* FROM (?=\(SELECT\b)/i;

/**
 * Names of the texts that an instance executes frequently. PostgreSQL parses a named statement once per connection, and
 * usually plans it once.
 */
export class FrequentStatements {
  /** Names by text. They are the same for all connections. */
  private readonly names = new Map<string, string>();
  /** Executions by text, while it has no name. -Infinity: it never gets one. */
  private readonly executions = new Map<string, number>();

  /**
   * Counts an execution. Connections of an instance share the counts, so that each new one names the statement at once.
   * Returns the name of the text, or undefined while it has none.
   */
  countExecution(text: string): string | undefined {
    const name = this.names.get(text);
    if (name !== undefined || this.names.size >= MAX_NAMES) return name;
    const executions = (this.executions.get(text) ?? (returnsNamedColumns(text) ? 0 : -Infinity)) + 1;
    if (executions > EXECUTIONS_BEFORE_NAME) {
      this.executions.delete(text);
      this.names.set(text, `frequent_${this.names.size + 1}`);
      return this.names.get(text);
    }
    if (!this.executions.has(text) && this.executions.size >= MAX_COUNTED_TEXTS) this.executions.clear();
    this.executions.set(text, executions);
    return undefined;
  }

  /** Makes the connection name frequent statements. Without parameters, a text may be several statements. */
  nameStatements(client: ClientBase): void {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const namedQuery = (...args: unknown[]) => {
      const [text, values] = args;
      const isStatement = args.length === 2 && typeof text === 'string' && Array.isArray(values) && values.length > 0;
      const name = isStatement ? this.countExecution(text) : undefined;
      return name === undefined ? query(...args) : query({ name, text, values });
    };
    client.query = namedQuery as typeof client.query;
  }
}

/**
 * Returns whether the columns of the result are fixed by the text. With a wildcard, a named statement fails after a
 * migration that adds a column, "cached plan must not change result type", which would abort its transaction.
 */
function returnsNamedColumns(text: string): boolean {
  const isWrite = /^\s*(INSERT|UPDATE|DELETE)\b/i.test(text);
  const [, ...returned] = text.split(/\b(?=RETURNING\b)/i);
  return !WILDCARD.test(isWrite ? (returned.at(-1) ?? '') : text.replace(OUTER_SELECT, ''));
}
