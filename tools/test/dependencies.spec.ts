import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Dependency {
  install: string;
  names?: string[];
  url?: string[];
  with?: string;
}
interface Project {
  name: string;
  files: string[];
}
interface Fault {
  line: string;
  isRequired: boolean;
}

const ROOT = join(__dirname, '..', '..');
// oxlint-disable-next-line typescript/no-require-imports -- jest.config.js uses it too
const { DEPENDENCIES, findMissing, listFaults, readNeeds, selectUsable } = require('./dependencies.cjs') as {
  DEPENDENCIES: Record<string, Dependency>;
  findMissing: (lookup: { folders: string[]; accepts: (url: URL) => boolean }) => string[];
  listFaults: (projects: Project[], planned: Project[], missing: string[], root: string) => Fault[];
  readNeeds: (path: string) => string[];
  selectUsable: (projects: Project[], missing: string[]) => Project[];
};
const NAMES = Object.keys(DEPENDENCIES);

/** Projects that need a dependency as a whole. */
const WHOLE_PROJECTS: Record<string, string[]> = {
  PostgreSQL: ['e2e-services', 'multi-instance', 'browser-cluster'],
  Redis: ['e2e-services', 'multi-instance', 'browser-cluster'],
  haproxy: ['multi-instance', 'browser-cluster'],
  'redis-server': ['multi-instance', 'browser-cluster'],
  chromium: ['browser', 'browser-cluster'],
  firefox: ['firefox'],
};

/** Returns what `npm run test:full` plans on a machine that has everything. */
function planEverything(): Project[] {
  const script = `import { createRequire } from 'node:module';
    import { parseArguments } from ${JSON.stringify(pathToFileURL(join(__dirname, 'arguments.mjs')))};
    import { planProjects } from ${JSON.stringify(pathToFileURL(join(__dirname, 'plan.mjs')))};
    const config = createRequire(import.meta.url)(${JSON.stringify(join(ROOT, 'jest.config.js'))});
    const names = config.projects.map((project) => project.displayName);
    const request = parseArguments(['--full'], names);
    console.log(JSON.stringify(planProjects(config, ${JSON.stringify(ROOT)}, request)));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  if (stderr) throw new Error(stderr);
  return JSON.parse(stdout) as Project[];
}

describe('the dependencies of the tests', () => {
  const projects = planEverything();
  const folder = mkdtempSync(join(tmpdir(), 'programs-'));
  const { TEST_CHROMIUM, TEST_FIREFOX } = process.env;
  beforeAll(() => {
    delete process.env.TEST_CHROMIUM;
    delete process.env.TEST_FIREFOX;
  });
  afterAll(() => {
    if (TEST_CHROMIUM) process.env.TEST_CHROMIUM = TEST_CHROMIUM;
    if (TEST_FIREFOX) process.env.TEST_FIREFOX = TEST_FIREFOX;
    rmSync(folder, { recursive: true });
  });

  /** Looks for everything on a machine that has all but this. */
  function hide(hidden: string | null): string[] {
    const path = join(folder, String(hidden));
    mkdirSync(path);
    for (const name of NAMES.filter((each) => each !== hidden)) {
      const [program] = DEPENDENCIES[name]!.names ?? [name];
      writeFileSync(join(path, program!), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    }
    const isHidden = ({ protocol }: URL) => protocol.startsWith(hidden === 'Redis' ? 'redis' : 'postgres');
    const isService = Boolean(DEPENDENCIES[hidden ?? '']?.url);
    return findMissing({ folders: [path], accepts: (url) => !(isService && isHidden(url)) });
  }

  it('are all there on a machine that has them, which skips nothing', () => {
    expect(hide(null)).toEqual([]);
    expect(selectUsable(projects, [])).toEqual(projects);
    expect(listFaults(projects, projects, [], ROOT)).toEqual([]);
  });

  it.each(NAMES.filter((name) => !DEPENDENCIES[name]!.with))('skip only what needs %s, with one line', (name) => {
    const missing = hide(name);
    expect(missing[0]).toBe(name);
    const usable = selectUsable(projects, missing);
    const whole = WHOLE_PROJECTS[name] ?? [];
    expect(usable).toEqual(projects.filter((project) => !whole.includes(project.name)));
    const faults = listFaults(projects, usable, missing, ROOT);
    expect(faults).toHaveLength(1);
    expect(faults[0]!.line).toContain(`Skipped: tests that need ${name}`);
    expect(faults[0]!.line).toContain(`(${DEPENDENCIES[name]!.install})`);
    for (const project of whole) expect(faults[0]!.line).toContain(project);
  });

  it('are named only where a planned file needs them', () => {
    const planOf = (file: string) => [{ name: 'programs', files: [`clients/device/src/${file}.spec.ts`] }];
    const list = (file: string) => listFaults(planOf(file), planOf(file), ['git', 'go'], ROOT).map(({ line }) => line);
    expect(list('work-tree/work-tree-snapshot')).toEqual(['Skipped: tests that need git (install git)']);
    expect(list('enrollment')).toEqual([]);
  });

  it('need the program that runs them', () => {
    const files = ['test/e2e/docs/read-sealed.spec.ts'];
    const list = (missing: string[]) =>
      listFaults([], [{ name: 'e2e-embedded', files }], missing, ROOT).map(({ line }) => line);
    expect(list(['joserfc'])).toEqual(['Skipped: tests that need joserfc (pip install joserfc)']);
    expect(list(['python3', 'joserfc'])).toEqual(['Skipped: tests that need python3 (install python3)']);
  });

  it('are those that test files name, and each is used', () => {
    const used = projects.flatMap(({ files }) => files.flatMap((file) => readNeeds(join(ROOT, file))));
    expect([...new Set([...used, ...Object.keys(WHOLE_PROJECTS)])].sort()).toEqual([...NAMES].sort());
  });
});

/** Support files that start such a program, and the names by which test files use it. */
const STARTERS: Record<string, [uses: RegExp, need: string]> = {
  'test/multi-instance/support/load-balancer.ts': [/\bLoadBalancer\.start\b/, 'haproxy'],
  'test/multi-instance/support/previous-build.ts': [/\bcompilePreviousRelease\b/, 'git'],
  'test/support/certificates.ts': [/\bnew CertificateAuthority\b/, 'openssl'],
  'test/support/clients/foreign-clients.ts': [/\bcreateCurlClient\b/, 'curl'],
  'test/support/clients/xapi.ts': [/\brunOnTerminal\(/, 'script'],
  'test/support/quickstart.ts': [/\bservicePid\b/, 'ps'],
  'test/support/redis-cluster.ts': [/\bRedisCluster\.start\b/, 'redis-server'],
  'test/support/redis-process.ts': [/\bRedisProcess\.start\b/, 'redis-server'],
  'test/support/sentinel-redis.ts': [/\bSentinelRedis\.start\b/, 'redis-server'],
  'test/support/webhooks/self-signed-certificate.ts': [/\bcreateSelfSignedCertificate\(/, 'openssl'],
  'test/clients/support/python.ts': [/\b(runPython|new PythonProcess)\(/, 'python3'],
  'test/support/temporary-postgres.ts': [/\bTemporaryPostgres\.createCluster\b/, 'pg_ctl'],
  'test/support/guide/guide-programs.ts': [/\bGoSamples\.build\b/, 'go'],
  'test/support/pg-bouncer.ts': [/\bPgBouncer\.start\b/, 'pgbouncer'],
};
/** Files that start a program outside of the tests of `npm test`. */
const ELSEWHERE = ['test/acceptance/support/find-processes.ts', 'test/screenshots/example-account.ts'];

describe('a test file', () => {
  const files = ['test', 'clients', 'src', 'bench', 'packages', 'tools'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path) && !/node_modules\/|dist\//.test(path))
      .map((path) => `${folder}/${path}`),
  );
  const programs = NAMES.filter((name) => !DEPENDENCIES[name]!.url && !DEPENDENCIES[name]!.with);
  const START = new RegExp(
    `\\b(?:spawn|spawnSync|execFile\\w*|run\\w*|[\\]\\w)]+\\))\\(\\s*'(${programs.join('|')})',`,
    'g',
  );
  const listStarted = (text: string) => [...text.matchAll(START)].map(([, name]) => name!);
  const isSpec = (path: string) => /\.spec\.tsx?$/.test(path);
  const isTestCode = (path: string) => path.startsWith('test/') || isSpec(path) || path.includes('/testing/');

  it('says which programs it starts, so that it is skipped without them', () => {
    const silent = files.filter(isSpec).flatMap((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      const byOthers = Object.values(STARTERS).flatMap(([uses, need]) => (uses.test(text) ? [need] : []));
      const stated = [...readNeeds(join(ROOT, path)), ...listProjectNeeds(path)];
      return [...listStarted(text), ...byOthers].flatMap((name) =>
        stated.includes(name) ? [] : [`${path} starts ${name} and doesn't say so`],
      );
    });
    expect(silent).toEqual([]);
  });

  it('starts programs by helpers that this test knows', () => {
    const unknown = files.filter((path) => isTestCode(path) && !isSpec(path) && !(path in STARTERS));
    const starting = unknown.filter((path) => listStarted(readFileSync(join(ROOT, path), 'utf8')).length > 0);
    expect(starting.sort()).toEqual(ELSEWHERE);
  });

  function listProjectNeeds(path: string): string[] {
    const [, folder] = path.split('/');
    return Object.keys(WHOLE_PROJECTS).filter((name) => WHOLE_PROJECTS[name]!.includes(folder!));
  }
});
