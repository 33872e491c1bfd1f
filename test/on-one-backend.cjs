/**
 * Paths in test/e2e/ that a run of everything with PostgreSQL and Redis runs on these only. Their subject is what no
 * database can change (forms of requests and responses, pages, documents, cryptographic checks, the reference device),
 * or the records of one resource, which the tests of the console and of the clients work with on the embedded database.
 * What depends on the only connection of that database, or on the absence of Redis, runs on both: streams, calls to
 * devices, rate limits, idempotency, retention. `npm run test:full` runs every file on both.
 */
exports.ON_ONE_BACKEND = [
  'account/',
  'artifacts/',
  'console/(?!login)',
  'control/',
  'credentials/',
  'deprecations/',
  'docs/',
  'http/',
  'identity/',
  'invocations/',
  'key-grants/',
  'machines/',
  'messages/',
  'oauth/',
  'openapi/',
  'pages/',
  'permission-requests/',
  'queued-messages/',
  'reference-device/(?!outage)',
  'relay/(requests|socket-limits)',
  'sessions/',
  'strangers/',
  'turns/',
  'usage/',
  'webhooks/',
].map((path) => `test/e2e/${path}`);
