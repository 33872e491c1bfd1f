/**
 * Paths in test/e2e/ whose subject no database can change: forms of requests and responses, pages, documents, OAuth
 * parameters, cryptographic checks, the reference device. A run of everything with PostgreSQL and Redis runs these files
 * on them only; `npm run test:full` runs them on the embedded database too.
 */
exports.ON_ONE_BACKEND = [
  'console/(?!login)',
  'credentials/bearer',
  'deprecations/',
  'docs/',
  'http/',
  'key-grants/(mismatch|tampering)',
  'oauth/apps/validation',
  'oauth/authorize/(error-redirects|invalid-client|state)',
  'oauth/(bearer-token|clients/|metadata)',
  'oauth/token/(client-authentication|forms)',
  'openapi/',
  'reference-device/(?!outage)',
  'relay/(requests|socket-limits)',
  'sessions/ciphertext-forms',
].map((path) => `test/e2e/${path}`);
