/** Members of an error of PostgreSQL that say what to do about it. */
interface PostgresError extends Error {
  code?: string;
  hint?: string;
}

/** Thrown when a statement of a migration fails. `cause` is its error. */
export class MigrationFailedError extends Error {
  constructor(migration: string, cause: unknown) {
    super(
      `The migration ${migration} failed: ${describeCause(cause as PostgresError)}. ` +
        'Instances of the previous release can go on. Remove the cause, then migrate again.',
      { cause },
    );
    this.name = 'MigrationFailedError';
  }
}

function describeCause({ message, code, hint }: PostgresError): string {
  const details = [hint?.replace(/\.$/, ''), code && `SQLSTATE ${code}`].filter(Boolean).join(', ');
  return details ? `${message} (${details})` : message;
}
