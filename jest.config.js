const { readFileSync } = require('node:fs');
const { findMissing } = require('./tools/test/dependencies.cjs');
const swc = require('./tools/swc-options.cjs');

// Some packages import modules dynamically, which needs the first option in the processes that run tests. The last saves
// a tenth of their CPU, in garbage collection. Jest starts them after it has read this file. With --runInBand, set them
// on Jest's own command line.
for (const flag of ['--experimental-vm-modules', '--no-warnings', '--max-semi-space-size=64']) {
  const { NODE_OPTIONS = '' } = process.env;
  if (!NODE_OPTIONS.includes(flag)) process.env.NODE_OPTIONS = `${NODE_OPTIONS} ${flag}`.trim();
}

// For test/support/dependencies.ts.
process.env.TEST_MISSING ??= findMissing().join(',');

const CODE = '^.+\\.(tsx?|m?js)$';
/** Packages that ship ES modules only, and one that imports such a package. */
const ES_MODULES =
  '(jose|marked|preact|preact-render-to-string|openid-client|oauth4webapi|arctic|@oslojs|@badgateway)/';
/** One transform for all projects: swc, CommonJS. */
const base = {
  rootDir: __dirname,
  testEnvironment: 'node',
  testRunner: '<rootDir>/test/support/test-runner.js',
  // It would take apart what the files of a worker share (onBuild); one worker has one such setting for all projects.
  testEnvironmentOptions: { globalsCleanup: 'off' },
  transform: { [CODE]: ['@swc/jest', swc] },
  transformIgnorePatterns: [`node_modules/(?!@nestjs/|${ES_MODULES})`],
};

/** Packages that Node loads once for all files of a worker, as a process does. */
const loadOnce = ['<rootDir>/test/support/built/transform.js', swc];
const packages = {
  transform: { [`/node_modules/(?!${ES_MODULES}).+\\.c?js$`]: loadOnce, ...base.transform },
  transformIgnorePatterns: [],
};

/** Tests that use modules of the service: those of the build, which Node loads once as well. */
const onBuild = {
  testEnvironment: '<rootDir>/test/support/built/environment.js',
  ...packages,
  transform: { '/(src|migrations)/.+\\.tsx?$': loadOnce, ...packages.transform },
};

/** Tests of single sources, which Jest compiles and loads for each file. */
const onSources = { ...base, testEnvironment: '<rootDir>/test/support/sources/environment.js', ...packages };

const PROGRAMS = '**/clients/{device,quickstart}/**/*.spec.ts';

/** Whether everything runs, as often and as long as it can (npm run test:full). */
const IS_FULL_RUN = process.env.TEST_FULL === '1';
const CLUSTER_PAGES = IS_FULL_RUN ? 'approvals,devices,session,sharing,tokens' : 'devices,session';

/** Files by project that tools/test.mjs has planned, or null if Jest is run by itself. */
const planned = process.env.TEST_PLAN ? JSON.parse(readFileSync(process.env.TEST_PLAN, 'utf8')).files : null;
// It is not the plan of a run that a test starts.
delete process.env.TEST_PLAN;

/** The same e2e files run once on each backend; test/support/backend.ts reads which. */
const e2e = (name, more) => ({
  ...base,
  ...onBuild,
  displayName: `e2e-${name}`,
  testMatch: ['<rootDir>/test/e2e/**/*.spec.ts'],
  setupFiles: [`<rootDir>/test/support/use-${name}.ts`],
  setupFilesAfterEnv: ['<rootDir>/test/support/timeouts.ts', '<rootDir>/test/support/hold-events.ts'],
  ...more,
});

const projects = [
  {
    ...onSources,
    displayName: 'unit',
    testMatch: ['<rootDir>/{src,bench,clients,packages,tools}/**/*.spec.{ts,tsx}', `!${PROGRAMS}`],
  },
  // The reference device and the quickstart, with processes, files, Git and a service of the tests.
  {
    ...onSources,
    displayName: 'programs',
    testMatch: [PROGRAMS],
    setupFilesAfterEnv: ['<rootDir>/test/support/timeouts.ts'],
  },
  e2e('embedded', {
    globalSetup: '<rootDir>/test/support/embedded-template.ts',
  }),
  e2e('services', {
    globalSetup: '<rootDir>/test/support/postgres-template.ts',
    globalTeardown: '<rootDir>/test/support/end-postgres-run.ts',
  }),
  {
    ...base,
    ...onBuild,
    displayName: 'medium',
    testMatch: ['<rootDir>/test/medium/**/*.spec.ts'],
    globalSetup: '<rootDir>/test/support/medium-setup.ts',
    globalTeardown: '<rootDir>/test/support/end-postgres-run.ts',
    setupFilesAfterEnv: ['<rootDir>/test/support/timeouts.ts'],
  },
  {
    // Attacks on a real process, and what they do to the latency of another caller.
    ...base,
    ...onBuild,
    displayName: 'hostile',
    testMatch: ['<rootDir>/test/hostile/**/*.spec.ts'],
    globalSetup: '<rootDir>/test/support/medium-setup.ts',
    globalTeardown: '<rootDir>/test/support/end-postgres-run.ts',
    setupFilesAfterEnv: ['<rootDir>/test/support/timeouts.ts'],
  },
  {
    ...base,
    ...onBuild,
    displayName: 'multi-instance',
    testMatch: ['<rootDir>/test/multi-instance/**/*.spec.ts'],
    globalSetup: '<rootDir>/test/support/postgres-template.ts',
    globalTeardown: '<rootDir>/test/support/end-postgres-run.ts',
    setupFilesAfterEnv: ['<rootDir>/test/support/timeouts.ts'],
  },
  {
    // The packed client in processes of its own, against a real service.
    ...base,
    ...onBuild,
    displayName: 'clients',
    testMatch: ['<rootDir>/test/clients/**/*.spec.ts'],
    setupFiles: ['<rootDir>/test/support/use-available.ts'],
    setupFilesAfterEnv: ['<rootDir>/test/support/timeouts.ts'],
    globalSetup: '<rootDir>/test/support/clients/clients-setup.ts',
    globalTeardown: '<rootDir>/test/support/clients/clients-teardown.ts',
  },
  {
    ...base,
    ...onBuild,
    displayName: 'browser',
    testMatch: ['<rootDir>/test/browser/**/*.spec.ts'],
    setupFiles: ['<rootDir>/test/support/use-available.ts'],
    setupFilesAfterEnv: ['<rootDir>/test/support/timeouts.ts'],
    globalSetup: '<rootDir>/test/support/available-template.ts',
    globalTeardown: '<rootDir>/test/support/end-postgres-run.ts',
  },
  {
    // The main acts of the console again, in Firefox.
    ...base,
    ...onBuild,
    displayName: 'firefox',
    testMatch: ['<rootDir>/test/firefox/**/*.spec.ts'],
    setupFiles: ['<rootDir>/test/support/use-available.ts', '<rootDir>/test/support/use-firefox.ts'],
    setupFilesAfterEnv: ['<rootDir>/test/support/timeouts.ts'],
    globalSetup: '<rootDir>/test/support/available-template.ts',
    globalTeardown: '<rootDir>/test/support/end-postgres-run.ts',
  },
  {
    // The main act of pages again that show what happens on another instance, two of them behind the load balancer.
    ...base,
    ...onBuild,
    displayName: 'browser-cluster',
    testMatch: [`<rootDir>/test/browser/{${CLUSTER_PAGES}}.spec.ts`],
    setupFiles: ['<rootDir>/test/support/use-cluster.ts'],
    setupFilesAfterEnv: ['<rootDir>/test/support/timeouts.ts'],
    globalSetup: '<rootDir>/test/support/postgres-template.ts',
    globalTeardown: '<rootDir>/test/support/end-postgres-run.ts',
  },
];

module.exports = {
  // A file that starts the service without the build (onBuild) loads all of it anew, and a worker does not give all of
  // that back.
  workerIdleMemoryLimit: '1500MB',
  testSequencer: require.resolve('./tools/test/longest-first.cjs'),
  projects: planned
    ? projects.map((project) => ({
        ...project,
        testMatch: (planned[project.displayName] ?? []).map((path) => `<rootDir>/${path}`),
      }))
    : projects,
};
