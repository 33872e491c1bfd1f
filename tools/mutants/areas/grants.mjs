const CONTENT = 'e2e-embedded test/e2e/key-grants/content.spec.ts';
const REPOSITORY = 'src/modules/key-grants/key-grants.repository.ts';

/** Key grants: whom they cover, what they are bound to, and when they end. */
export default [
  {
    id: 'K1',
    breaks: 'The grant of one token lets the account’s other tokens read.',
    file: REPOSITORY,
    find: 'g.token_id IS NULL OR g.token_id = $3',
    replace: 'g.token_id IS NULL OR $3::text IS NOT NULL',
    suites: [CONTENT],
  },
  {
    id: 'K2',
    breaks: 'The grant of an app lets the account’s own tokens read.',
    file: REPOSITORY,
    find: 'THEN g.app_id IS NULL AND (',
    replace: 'THEN (',
    suites: ['e2e-embedded test/e2e/key-grants/apps.spec.ts'],
  },
  {
    id: 'K3',
    breaks: 'Content that was moved to another place is accepted.',
    file: 'src/protocol/jwe.ts',
    find: "  if (!isSameBinding(header.svc, binding)) return 'is bound to another place (svc)';\n",
    replace: '',
    suites: ['unit src/protocol/jwe.spec.ts'],
  },
  {
    id: 'K4',
    breaks: 'A grant whose row was changed to last longer is honored.',
    file: 'src/modules/key-grants/sealed/sealed-grant-verifier.ts',
    find: "'appId', 'expiresAt'] as const",
    replace: "'appId'] as const",
    suites: ['e2e-embedded test/e2e/key-grants/mismatch.spec.ts'],
  },
  {
    id: 'K5',
    breaks: 'A grant lasts a minute longer than promised.',
    file: REPOSITORY,
    find: '(g.expires_at IS NULL OR g.expires_at > ${now})',
    replace: "(g.expires_at IS NULL OR g.expires_at > ${now} - interval '1 minute')",
    suites: [CONTENT],
  },
  {
    id: 'K6',
    breaks: 'A read that is under way returns content although its grant was revoked.',
    file: 'src/modules/key-grants/content/content-reader.ts',
    find: 'if (!(await this.grants.isGrantActive(grant.id, this.clock.currentDate())))',
    replace: 'if (false)',
    suites: [CONTENT],
  },
  {
    id: 'K7',
    breaks: 'The grant of a session claims to cover artifacts under a key of their own.',
    file: REPOSITORY,
    find: ' AND s.data_key_id = a.data_key_id',
    replace: '',
    suites: ['e2e-embedded test/e2e/key-grants/content-granted.spec.ts'],
  },
  {
    id: 'K8',
    breaks: 'A grant stays active after its token was revoked.',
    file: REPOSITORY,
    find: 'AND t.revoked_at IS NULL AND (',
    replace: 'AND (',
    suites: ['e2e-embedded test/e2e/key-grants/grants.spec.ts'],
  },
];
