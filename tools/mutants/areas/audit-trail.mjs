const EVENTS = 'e2e-embedded test/e2e/audit-events/audit-events.spec.ts';
const REPOSITORY = 'src/modules/audit-events/audit-events.repository.ts';

/** The audit trail of an account, and what it does not show. */
export default [
  {
    id: 'AE1',
    breaks: 'The filter `since` leaves out events of exactly this time.',
    file: REPOSITORY,
    find: 'e.created_at >= ',
    replace: 'e.created_at > ',
    suites: [EVENTS],
  },
  {
    id: 'AE2',
    breaks: 'The filter `until` includes events of exactly this time.',
    file: REPOSITORY,
    find: 'e.created_at < ',
    replace: 'e.created_at <= ',
    suites: [EVENTS],
  },
  {
    id: 'AE3',
    breaks: 'Acts of a browser have no name of their actor.',
    file: REPOSITORY,
    find: "IN ('device', 'browser')",
    replace: "IN ('device')",
    suites: [EVENTS],
  },
  {
    id: 'AE4',
    breaks: 'The limit of a token to machines is missing in the audit trail.',
    file: REPOSITORY,
    find: "CASE e.target_kind WHEN 'token' THEN (SELECT machine_ids",
    replace: "CASE e.target_kind WHEN 'app' THEN (SELECT machine_ids",
    suites: ['e2e-embedded test/e2e/credentials/machine-limit.spec.ts'],
  },
  {
    id: 'AE5',
    breaks: 'The audit trail stores user agents of any length.',
    file: 'src/access/audit/audit-recorder.ts',
    find: 'truncateText(client.userAgent, MAX_USER_AGENT_LENGTH)',
    replace: 'client.userAgent',
    suites: [EVENTS],
  },
  {
    id: 'AE6',
    breaks: 'Users of an app see the address of its developer when their authorizations are revoked.',
    file: 'src/modules/developer-apps/authorizations/app-authorizations.service.ts',
    find: "actor: AuditActor = { kind: 'app', id: appId }",
    replace: 'actor?: AuditActor',
    suites: [EVENTS],
  },
  {
    id: 'AE7',
    breaks: 'The export of an account has the audit events of nobody.',
    file: 'src/modules/audit-events/audit-events.service.ts',
    find: 'this.repository.scanByAccount(accountId)) yield',
    replace: 'this.repository.scanByAccount(accountId)) if (!row) yield',
    suites: [EVENTS],
  },
  {
    id: 'AE8',
    breaks: 'The audit trail of an account shows the address of a developer or an operator.',
    file: 'src/access/audit/audit-recorder.ts',
    find: 'givenActor === undefined || CLIENT_KINDS.has(actor.kind) ? context : undefined',
    replace: 'context',
    suites: ['unit src/access/audit/audit-recorder.spec.ts'],
  },
];
