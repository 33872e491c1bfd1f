/**
 * The direction of docs/architecture.md as rules on paths: a layer imports from the layers above it in this list, a
 * module also from the modules before it in its own layer, and each module is entered through its index.ts.
 *
 * Manifests only declare names. So everything may import `app.manifest.ts`, which lists them.
 */
const layers = [
  { name: 'common' },
  {
    name: 'core',
    modules: [['config'], ['metrics'], ['tracing'], ['redis'], ['database'], ['events', 'instances', 'waits']],
  },
  {
    name: 'access',
    modules: [['auth'], ['rate-limiting', 'idempotency', 'backpressure', 'deprecation', 'audit'], ['read-only']],
  },
  {
    name: 'modules',
    modules: [
      ['accounts'],
      ['devices', 'machines'],
      ['sessions'],
      ['turns', 'invocations'],
      ['messages', 'permission-requests', 'artifacts', 'usage'],
      ['personal-access-tokens', 'developer-apps', 'event-access'],
      ['key-grants', 'queued-messages', 'relay-bus', 'webhook-sending'],
      ['device-gateway'],
      ['oauth', 'relay', 'webhooks', 'push-subscriptions'],
      ['event-streams'],
    ],
  },
  { name: 'web', modules: [['openapi'], ['console', 'health', 'packages'], ['docs']] },
];

/**
 * A folder that is not listed fails `unknown-module`; in `modules` it is a resource that no other module may import.
 */
const folders = [
  ...layers.flatMap(({ name, modules }) => (modules ? modules.flat().map((module) => `${name}/${module}`) : [name])),
  'modules/[^/]+',
];
const listedModules = layers.find(({ name }) => name === 'modules').modules.flat();

const directionRules = layers.flatMap(({ name, modules = [] }, level) => {
  const below = layers.slice(0, level).map((layer) => `${layer.name}/`);
  const rule = (folder, allowed) => ({
    name: `direction-${folder.replace('/', '-')}`,
    severity: 'error',
    from: { path: `^src/${folder}/` },
    to: { path: '^src/', pathNot: `^src/(${[`${folder}/`, ...below, ...allowed, 'app\\.manifest\\.ts$'].join('|')})` },
  });
  if (modules.length === 0) return [rule(name, [])];
  return modules.flatMap((rank, index) => {
    const before = modules.slice(0, index).flat();
    return rank.map((module) =>
      rule(
        `${name}/${module}`,
        before.map((other) => `${name}/${other}/`),
      ),
    );
  });
});

module.exports = {
  forbidden: [
    ...directionRules,
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Type imports count.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'entry-point',
      severity: 'error',
      comment: 'Another module is entered through its index.ts.',
      from: { path: '^src/(core|access|modules|web)/([^/]+)/' },
      to: {
        path: '^src/(core|access|modules|web)/[^/]+/',
        pathNot: ['^src/$1/$2/', '^src/[^/]+/[^/]+/index\\.ts$'],
      },
    },
    {
      name: 'entry-point-from-outside',
      severity: 'error',
      comment: 'main.ts loads settings, and setup makes secrets, without the rest of their module, which imports Nest.',
      from: { path: '^(src/[^/]+\\.ts$|src/programs/(admin|setup)/|tools/)' },
      to: {
        path: '^src/(core|access|modules|web)/[^/]+/',
        pathNot: [
          '^src/[^/]+/[^/]+/index\\.ts$',
          '^src/[^/]+/[^/]+/[^/]+\\.manifest\\.ts$',
          '^src/core/config/(load-config|embedded-secrets)\\.ts$',
        ],
      },
    },
    {
      name: 'manifests-only-declare',
      severity: 'error',
      from: { path: '/[^/]+\\.manifest\\.ts$', pathNot: '^src/app\\.manifest\\.ts$' },
      to: { pathNot: '^src/common/manifest\\.ts$' },
    },
    {
      name: 'protocol-entry-point',
      severity: 'error',
      from: { pathNot: '^packages/protocol/' },
      to: { path: '^packages/protocol/', pathNot: '^packages/protocol/src/(index|portable)\\.ts$' },
    },
    {
      name: 'protocol-knows-nobody',
      severity: 'error',
      from: { path: '^packages/protocol/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^(packages/protocol/|node_modules/jose/)', dependencyTypesNot: ['core'] },
    },
    {
      name: 'forward-proxy-entry-point',
      severity: 'error',
      from: { pathNot: '^packages/forward-proxy/' },
      to: {
        path: '^packages/forward-proxy/',
        pathNot: '^packages/forward-proxy/(src/(index|programs)\\.ts|programs\\.d\\.ts)$',
      },
    },
    {
      name: 'forward-proxy-knows-nobody',
      severity: 'error',
      from: { path: '^packages/forward-proxy/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^(packages/forward-proxy/|node_modules/undici/)', dependencyTypesNot: ['core'] },
    },
    {
      name: 'device-knows-only-the-protocol',
      severity: 'error',
      comment: 'The reference device doubles as the proof that a device can be written from the protocol alone.',
      from: { path: '^clients/device/', pathNot: '\\.spec\\.ts$|/testing/' },
      to: { path: '^(src|clients|test)/', pathNot: '^clients/device/' },
    },
    {
      name: 'quickstart-knows-only-the-device',
      severity: 'error',
      from: { path: '^clients/quickstart/' },
      to: { path: '^(src|clients|test)/', pathNot: '^clients/(quickstart/|device/src/index\\.ts$)' },
    },
    {
      name: 'service-knows-no-client',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^clients/' },
    },
    {
      name: 'browser-modules-only',
      severity: 'error',
      comment: 'tools/build-browser.mjs bundles these folders with what they import.',
      from: { path: '^(clients/(?:console|docs))/', pathNot: '\\.spec\\.tsx?$' },
      to: {
        pathNot: [
          '^$1/',
          '^packages/pages/src/(index|browser/index)\\.ts$',
          '^packages/protocol/src/portable\\.ts$',
          '^node_modules/(jose|marked|preact|uqr)/',
        ],
      },
    },
    {
      name: 'pages-knows-nobody',
      severity: 'error',
      from: { path: '^packages/pages/', pathNot: '\\.spec\\.tsx?$' },
      to: { pathNot: '^(packages/pages/|node_modules/preact/)' },
    },
    {
      name: 'pages-entry-point',
      severity: 'error',
      from: { pathNot: '^packages/pages/' },
      to: { path: '^packages/pages/', pathNot: '^packages/pages/src/(index|browser/index)\\.ts$' },
    },
    {
      name: 'direction-new-resource',
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/', pathNot: `^src/modules/(${listedModules.join('|')})/` },
      to: {
        path: '^src/',
        pathNot: `^src/(modules/$1/|modules/(${listedModules.join('|')})/|common/|core/|access/|app\\.manifest\\.ts$)`,
      },
    },
    {
      name: 'unknown-module',
      severity: 'error',
      comment: 'A new module gets its place in the list of layers.',
      from: {
        path: '^src/[^/]+/',
        pathNot: `^src/(${folders.join('|')}|programs/(admin|setup|launcher))/`,
      },
      to: {},
    },
    {
      name: 'listed-migrations',
      severity: 'error',
      comment: 'A migration runs only if migrations/index.ts lists it.',
      from: { path: '^migrations/index\\.ts$' },
      to: { path: '^migrations/\\d', reachable: false },
    },
    {
      name: 'no-tests-in-the-service',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$|/testing/' },
      to: { path: '^test/|\\.spec\\.ts$' },
    },
    {
      name: 'declared-dependencies-only',
      severity: 'error',
      from: { path: '^(src|migrations)/', pathNot: '\\.spec\\.tsx?$|/testing/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['require', 'node', 'import', 'default', 'types'],
    },
  },
};
