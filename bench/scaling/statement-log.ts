/** What its clients asked for. */
export interface Statements {
  /** `BEGIN` and `COMMIT` among them. */
  statements: number;
  transactions: number;
}

/**
 * Counts what `log_statement = all` wrote.
 * @param log whose lines begin with `%c:`, a session's start and process id in hex
 * @param ownPid in hex, of the session that is not counted
 */
export function countStatements(log: string, ownPid: string): Statements {
  const open = new Set<string>();
  const counted = { statements: 0, transactions: 0 };
  for (const line of log.split('\n')) {
    const [, session, statement] = /^(\w+\.\w+):LOG: {2}(?:statement|execute [^:]*): (.*)/.exec(line) ?? [];
    if (session === undefined || session.endsWith(`.${ownPid}`)) continue;
    counted.statements++;
    if (!open.has(session)) counted.transactions++;
    if (/^(BEGIN|START TRANSACTION)/i.test(statement!)) open.add(session);
    if (/^(COMMIT|ROLLBACK(?! TO))/i.test(statement!)) open.delete(session);
  }
  return counted;
}
