/** The direction of docs/architecture.md: imports go downwards only, and into another module by its index.ts. */

const floors = [
  ['common', 'wire'],
  ['config'],
  ['persistence', 'metrics'],
  ['events', 'auth', 'rate-limit', 'deprecations', 'idempotency', 'instances'],
  ['accounts', 'devices'],
  ['sessions', 'machines'],
  ['messages', 'artifacts', 'usage'],
  ['key-grants', 'external-tokens', 'developer-apps'],
  ['oauth', 'relay', 'webhooks'],
  ['console', 'openapi', 'health', 'docs', 'generated'],
];

/** The short list of steps sideways. */
const sideways = [
  ['rate-limit', 'auth'], // whose bucket a call draws on; failed credentials
  ['idempotency', 'auth'], // whose key it is
  ['idempotency', 'instances'], // whether who began a call still lives
  ['devices', 'accounts'], // a sign-up makes both
  ['generated', 'openapi'], // openapi.json is one of the generated documents
  ['key-grants', 'external-tokens'], // a grant may name a token
  ['key-grants', 'developer-apps'], // or an app
  ['sessions', 'machines'], // a session may name a machine
];

const floorRules = floors.flatMap((floor, level) =>
  floor.map((module) => {
    const below = floors.slice(0, level).flat();
    const beside = sideways.filter(([from]) => from === module).map(([, to]) => to);
    const allowed = [module, ...below, ...beside].join('|');
    return {
      name: `floor-${module}`,
      severity: 'error',
      from: { path: `^src/${module}/` },
      to: { path: '^src/', pathNot: `^src/(${allowed})/` },
    };
  }),
);

module.exports = {
  forbidden: [
    ...floorRules,
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Type imports counted.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'by-the-index',
      severity: 'error',
      comment: 'Another module is entered through its index.ts.',
      from: { path: '^src/([^/]+)/' },
      to: { path: '^src/[^/]+/', pathNot: ['^src/$1/', '^src/common/', '^src/[^/]+/index\\.ts$'] },
    },
    {
      name: 'app-by-the-index',
      severity: 'error',
      from: { path: '^src/[^/]+\\.ts$' },
      to: { path: '^src/[^/]+/', pathNot: ['^src/common/', '^src/[^/]+/index\\.ts$'] },
    },
    {
      name: 'the-device-knows-the-wire-alone',
      severity: 'error',
      comment: 'The reference device doubles as the proof that a stranger can write one.',
      from: { path: '^src/reference-device/' },
      to: { path: '^src/', pathNot: '^src/(reference-device|wire)/' },
    },
    {
      name: 'the-quickstart-is-a-stranger-too',
      severity: 'error',
      from: { path: '^src/quickstart/' },
      to: { path: '^src/', pathNot: '^src/(quickstart|reference-device|wire)/' },
    },
    {
      name: 'browsers-load-browser-modules-alone',
      severity: 'error',
      comment: 'src/console/browser is served as it stands; what it imports by name, asset-store.ts has to know.',
      from: { path: '^src/console/browser/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^src/console/browser/|^node_modules/(jose|uqr)/' },
    },
    {
      name: 'every-module-has-a-floor',
      severity: 'error',
      from: {
        path: '^src/[^/]+/',
        pathNot: `^src/(${floors.flat().join('|')}|reference-device|quickstart|admin)/`,
      },
      to: {},
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
      from: { path: '^(src|migrations)/', pathNot: '\\.spec\\.ts$|/testing/' },
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
