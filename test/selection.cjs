/**
 * Which files the commands of the tests run. Each entry is a regular expression of paths. `npm test` shows every
 * behaviour once, at its cheapest level: `src/`, `clients/`, `packages/`, `tools/`, `bench/` and `test/e2e/`, and of the
 * other folders what BOUNDARIES lists. `npm run test:all` runs all of them.
 */

/**
 * The files beside those of `test/e2e/` that show each kind of boundary once: another process, program, package, browser
 * or instance. Together they take at most six minutes of one worker (test-selection.spec.ts).
 */
exports.BOUNDARIES = [
  // The client as it is packed, installed and called from ES modules, CommonJS and TypeScript.
  'test/clients/package\\.spec',
  // The client's calls, from a process of its own.
  'test/clients/resources\\.spec',
  // A service that lies to the client.
  'test/clients/hostile-service\\.spec',
  // The client as an app of OAuth.
  'test/clients/oauth\\.spec',
  // The command line in a shell, with pipes and signals.
  'test/clients/xapi-run\\.spec',
  // The client in Python.
  'test/clients/python(-calls)?\\.spec',
  // The MCP server, called by its protocol.
  'test/clients/mcp\\.spec',
  // Pages in Chromium that decrypt, and change by events.
  'test/browser/approvals\\.spec',
  'test/browser/tokens\\.spec',
  // The reference of the API in Chromium.
  'test/browser/reference\\.spec',
  // Packets of devices against asyncapi.json.
  'test/medium/asyncapi\\.spec',
  // A service that is killed, and a machine that starts again on its folder.
  'test/medium/embedded/durability\\.spec',
  // Manifests of compose and Kubernetes.
  'test/medium/deployment/(compose|kubernetes)\\.spec',
  // Stack traces of bundles that name the sources.
  'test/medium/stack-traces\\.spec',
  // PostgreSQL by itself: the schema, transactions, and transactions at once.
  'test/medium/unit-of-work\\.spec',
  'test/medium/postgres/(schema|races|turn-waits|invocation-races)\\.spec',
  // Plans of lists in large tables.
  'test/medium/postgres/list-plans/(messages|sessions)\\.spec',
  // The bus of instances on Redis.
  'test/medium/relay-bus/(cost|live-output|presence|repeated-answers|retries)\\.spec',
  // Receivers of webhooks that answer oddly.
  'test/medium/webhooks/(hostile-receivers|legal-responses)\\.spec',
  // A caller who wants to slow others, and one who speaks on the bus.
  'test/hostile/(bad-tokens|bus)\\.spec',
  // Two instances on one Redis, behind a load balancer.
  'test/multi-instance/balancing\\.spec',
  'test/multi-instance/(presence-notifications|relay/connections|webhooks/endpoint-queues)\\.spec',
];

/** Files of `test/e2e/` that need more programs or time than what they show is worth every time. */
exports.COSTLY = [
  // Runs the programs of the guide in six languages.
  'test/e2e/docs/guide-samples\\.spec',
  // Waits for requests whose answers are lost, which end after 30 s.
  'test/e2e/reference-device/weather\\.spec',
];

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
 * Files of `test/e2e/` that run on the embedded database too if there is PostgreSQL: those whose subject is what its only
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
  'new-resource(?!-recipe)',
  'npm-scripts',
  'packed-clients',
  'postgres/postgres-template',
  'regular-expressions',
  'test-(runner|selection)',
].map((path) => `test/medium/${path}\\.spec`);

/** What the tests of the tools depend on. */
exports.TOOL_SOURCES = ['tools/', 'package.json', 'package-lock.json', 'jest.config.js', 'test/selection.cjs'];

/** Files that only `npm run test:full` runs. They repeat what others show, by chance or with another build. */
exports.ONLY_IN_FULL = ['relay/chaos', 'previous-release-devices', 'slow-start'].map(
  (path) => `test/multi-instance/${path}\\.spec`,
);
