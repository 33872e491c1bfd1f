/**
 * What tests need besides Node.js, and which of it this machine lacks. A plain module, since jest.config.js passes the
 * result to the tests (test/support/dependencies.ts) also when Jest runs without tools/test.mjs.
 */
const { spawnSync } = require('node:child_process');
const { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } = require('node:fs');
const { join } = require('node:path');

const START_SERVICES = 'docker compose up -d postgres redis';
/** Folder of PostgreSQL's programs by version. Debian has few of them in PATH. */
const DEBIAN_POSTGRES = '/usr/lib/postgresql';

/**
 * By name: `install` says what to do about it. With REQUIRE_SERVICES=1, one that `isRequired` must not be missing.
 * A program has other `names` than its own, and a `variable` that may contain its path. A `probe` runs with the program
 * `with`, and gets no line of its own if that program is missing.
 */
const DEPENDENCIES = {
  PostgreSQL: { install: START_SERVICES, isRequired: true, url: ['TEST_DATABASE_URL', 'postgres://127.0.0.1:5432'] },
  Redis: { install: START_SERVICES, isRequired: true, url: ['TEST_REDIS_URL', 'redis://127.0.0.1:6379'] },
  haproxy: { install: 'install haproxy', isRequired: true },
  'redis-server': { install: 'install redis-server', isRequired: true },
  pgbouncer: { install: 'install pgbouncer', isRequired: true },
  pg_ctl: { install: 'install postgresql', isRequired: true },
  chromium: {
    install: 'install chromium-headless-shell',
    isRequired: true,
    variable: 'TEST_CHROMIUM',
    // Without its user interface, it takes half of the CPU time.
    names: ['chromium-headless-shell', 'chromium'],
  },
  firefox: {
    install: 'install firefox-esr',
    isRequired: true,
    variable: 'TEST_FIREFOX',
    names: ['firefox-esr'],
  },
  shellcheck: { install: 'install shellcheck', isRequired: true },
  busybox: { install: 'install busybox' },
  curl: { install: 'install curl' },
  git: { install: 'install git' },
  go: { install: 'install golang-go' },
  java: { install: 'install default-jdk-headless' },
  openssl: { install: 'install openssl' },
  ps: { install: 'install procps' },
  python3: { install: 'install python3' },
  joserfc: { install: 'pip install joserfc', with: 'python3', probe: ['-c', 'import joserfc'] },
  script: { install: 'install bsdutils' },
  'systemd-analyze': { install: 'install systemd' },
  wget: { install: 'install wget' },
};

/** What each project needs as a whole. Files and tests say what they need with `describeWith` and `itWith`. */
const NEEDS = {
  'e2e-services': ['PostgreSQL', 'Redis'],
  'multi-instance': ['PostgreSQL', 'Redis', 'haproxy', 'redis-server'],
  browser: ['chromium'],
  firefox: ['firefox'],
  'browser-cluster': ['chromium', 'PostgreSQL', 'Redis', 'haproxy', 'redis-server'],
};

/** Returns the path of a program, or null if this machine lacks it. */
function findProgram(name, folders = listFolders()) {
  const { variable, names = [name] } = DEPENDENCIES[name];
  const path = process.env[variable];
  if (path) return isProgram(path) ? path : null;
  return names.flatMap((each) => folders.map((folder) => join(folder, each))).find(isProgram) ?? null;
}

/** Returns the folders of PATH, and others that Debian installs programs in. */
function listFolders() {
  const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES).sort((a, b) => b - a) : [];
  return [
    ...(process.env.PATH ?? '').split(':').filter(Boolean),
    // PATH of users other than root lacks these two.
    ...['/usr/sbin', '/usr/local/sbin'],
    ...versions.map((version) => join(DEBIAN_POSTGRES, version, 'bin')),
  ];
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Returns the names of the dependencies that this machine lacks. */
function findMissing({ folders = listFolders(), accepts = acceptsConnections } = {}) {
  const isMissing = ([name, dependency]) => {
    if (dependency.url) return !accepts(getUrl(name));
    if (!dependency.probe) return findProgram(name, folders) === null;
    const program = findProgram(dependency.with, folders);
    return program === null || spawnSync(program, dependency.probe, { stdio: 'ignore' }).status !== 0;
  };
  return Object.entries(DEPENDENCIES)
    .filter(isMissing)
    .map(([name]) => name);
}

const getUrl = (name) => new URL(process.env[DEPENDENCIES[name].url[0]] ?? DEPENDENCIES[name].url[1]);

/** Connects in another process, because Jest reads its configuration and collects suites synchronously. */
function acceptsConnections({ hostname, port, protocol }) {
  const attempt = `require('node:net').connect(${port || (protocol === 'redis:' ? 6379 : 5432)}, '${hostname}')
    .on('connect', () => process.exit(0)).on('error', () => process.exit(1))`;
  return spawnSync(process.execPath, ['-e', attempt], { env: {}, timeout: 2_000 }).status === 0;
}

const lacks = ({ name }, missing) => (NEEDS[name] ?? []).some((need) => missing.includes(need));

/** Returns the projects that don't need a missing dependency as a whole. */
const selectUsable = (projects, missing) => projects.filter((project) => !lacks(project, missing));

/**
 * Returns the missing dependencies that the requested projects, or files that will run, need.
 *
 * @param projects requested projects
 * @param planned projects that will run, with their files as paths from the root
 * @returns `{line, isRequired}` of each; `isRequired` is for REQUIRE_SERVICES=1
 */
function listFaults(projects, planned, missing, root) {
  const needs = new Set([
    ...projects.flatMap(({ name }) => NEEDS[name] ?? []),
    ...planned.flatMap(({ files }) => files.flatMap((file) => readNeeds(join(root, file)))),
  ]);
  return missing
    .filter((name) => needs.has(name) && !missing.includes(DEPENDENCIES[name].with))
    .map((name) => {
      const { install, url, isRequired = false } = DEPENDENCIES[name];
      const skipped = projects.filter((project) => NEEDS[project.name]?.includes(name)).map((project) => project.name);
      const place = url ? ` at ${getUrl(name).host}` : '';
      const whole = skipped.length > 0 ? `, and so all of ${skipped.join(', ')}` : '';
      return { line: `Skipped: tests that need ${name}${place} (${install})${whole}`, isRequired };
    });
}

const USE = /\b(?:describe|it)With(?:SmallDisks)?\(([^()]*)\)/g;
/** Helpers of tests that need the same for several files. */
const SHORTHANDS = {
  describeWithPostgres: ['PostgreSQL'],
  describeWithServices: ['PostgreSQL', 'Redis'],
  describeWithPreviousRelease: ['git'],
};

/** Returns what a test file says that its tests need. */
function readNeeds(path) {
  const text = readFileSync(path, 'utf8');
  const given = [...text.matchAll(USE)].flatMap(([, names]) =>
    [...names.matchAll(/'([^']+)'/g)].map(([, name]) => name),
  );
  return [
    ...given,
    ...Object.keys(SHORTHANDS)
      .filter((helper) => text.includes(helper))
      .flatMap((helper) => SHORTHANDS[helper]),
  ];
}

module.exports = { DEPENDENCIES, findMissing, findProgram, listFaults, readNeeds, selectUsable };
