/** Which files the commands of the tests run. Each entry is a regular expression of paths. */

/**
 * Files that compare the latencies of attack and calm, or hold the service to promised durations after a failure. A run
 * of several files runs these after all others, two at a time: one of them waits while the other one measures for most
 * of the time.
 */
exports.MEASURING = [
  'test/hostile/(bad-tokens|bodies|bus|device-sockets|text-fields|unread-responses)\\.spec',
  'test/multi-instance/(clocks|instance-loss|previous-release|reconnect-storm|redis-outage)\\.spec',
  'test/multi-instance/relay/(device-failures|instance-failures|redis-failures|turns)\\.spec',
];

/**
 * Files of test/e2e/ that run on the embedded database too if there is PostgreSQL: those whose subject is what its only
 * connection or the absence of Redis can change. `npm run test:full` runs every file on both.
 */
exports.ON_BOTH_BACKENDS = [
  'event-streams/(backlog|content|deltas|endings|streams)',
  'idempotency/',
  'main-job',
  'rate-limits/(?!anonymous-calls)',
  'reference-device/outage',
  'relay/(connections|deadline|device-|errors|graceful-shutdown|handshake|live-output|presence|sync-)',
  'retention',
].map((path) => `test/e2e/${path}`);

/** Tests of the project's own tools. `npm test` runs them only if the tools or the packages have changed. */
exports.OF_TOOLS = [
  'build',
  'compatibility',
  'dependencies',
  'embedded/template-cache',
  'migration-rules',
  'new-resource',
  'npm-scripts',
  'packed-clients',
  'postgres/postgres-template',
  'regular-expressions',
  'test-runner',
].map((path) => `test/medium/${path}\\.spec`);

/** What the tests of the tools depend on. */
exports.TOOL_SOURCES = ['tools/', 'package.json', 'package-lock.json', 'jest.config.js', 'test/selection.cjs'];

/**
 * Files that `npm test` leaves to `npm run test:all`: those that start several processes, repeat what others show with
 * another program, or wait for long.
 */
exports.ONLY_IN_ALL = [
  'test/browser/(console-visual|docs-visual|long-session|quickstart|visual|wide-screen)',
  'test/clients/(agents|browser|device-package|generators|github-action|mcp|python-faults|retries|xapi-agent)',
  'test/e2e/(docs/guide-samples|event-streams/endings|reference-device/machine-clock|relay/(live-output|socket-limits))',
  'test/firefox/',
  'test/hostile/',
  'test/medium/(?!asyncapi|postgres/(list-plans|races|schema\\.|turn-|unit)|relay-bus|unit-of-work|webhooks)',
  'test/medium/relay-bus/(cluster|contract)',
  'test/medium/webhooks/(https|log-partitions)',
  'test/multi-instance/(?!balancing)',
];

/** Files that only `npm run test:full` runs. They repeat what others show, by chance or with another build. */
exports.ONLY_IN_FULL = ['relay/chaos', 'previous-release-devices', 'slow-start'].map(
  (path) => `test/multi-instance/${path}\\.spec`,
);
