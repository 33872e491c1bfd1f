import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createTempFolder } from '../support/temp-folder';

const ROOT = join(__dirname, '..', '..');
const TOOLS = join(ROOT, 'tools', 'test');
const selection = createRequire(__filename)('../selection.cjs') as { COSTLY: string[]; OF_TOOLS: string[] };

interface Project {
  name: string;
  files: string[];
}

describe('the selection of files and projects', () => {
  /** Returns the files that these arguments of `npm test` select, by project. */
  function select(...args: string[]): Record<string, string[]> {
    const script = `import { createRequire } from 'node:module';
      import { parseArguments } from ${JSON.stringify(pathToFileURL(join(TOOLS, 'arguments.mjs')))};
      import { planProjects } from ${JSON.stringify(pathToFileURL(join(TOOLS, 'plan.mjs')))};
      const root = ${JSON.stringify(join(TOOLS, '..', '..'))};
      const config = createRequire(root + '/')('./jest.config.js');
      const names = config.projects.map((project) => project.displayName);
      const projects = planProjects(config, root, parseArguments(${JSON.stringify(args)}, names));
      console.log(JSON.stringify(projects));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    if (stderr) throw new Error(stderr);
    const projects = JSON.parse(stdout) as Project[];
    return Object.fromEntries(projects.map(({ name, files }) => [name, files]));
  }
  const CREATE = 'test/e2e/sessions/create.spec.ts';

  it('plans everything on each backend without arguments', () => {
    const selected = select();
    expect(Object.keys(selected).sort()).toEqual(
      [
        'browser',
        'browser-cluster',
        'clients',
        'e2e-embedded',
        'e2e-services',
        'firefox',
        'hostile',
        'medium',
        'multi-instance',
        'programs',
        'unit',
      ].sort(),
    );
    expect(selected['e2e-embedded']).toEqual(selected['e2e-services']);
    expect(selected['browser']).toEqual(expect.arrayContaining(selected['browser-cluster']!));
    expect(selected['unit']).toEqual(expect.arrayContaining(['src/common/canonical-json.spec.ts']));
    expect(selected['programs']).toEqual(expect.arrayContaining(['clients/device/src/enrollment.spec.ts']));
    expect(selected['unit']).not.toEqual(expect.arrayContaining([expect.stringContaining('clients/quickstart/')]));
  });

  it('selects tests for npm test in the folder of each package, which also builds by itself', () => {
    const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { workspaces: string[] };
    const paths = workspaces
      .map(dirname)
      .flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => join(folder, name, 'package.json')))
      .filter((path) => existsSync(join(ROOT, path)));
    expect(paths).toHaveLength(10);
    for (const path of paths) {
      const { scripts } = JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as { scripts: Record<string, string> };
      const [command, patterns = ''] = scripts.test!.split(' -- ');
      const files = Object.values(select(...patterns.split(' '))).flat();
      expect([path, command, scripts.build, files]).toEqual([
        path,
        'npm --prefix ../.. test',
        expect.any(String),
        expect.arrayContaining([expect.any(String)]),
      ]);
    }
  });

  it('runs everything on each backend with options that select neither files nor tests', () => {
    expect(select('--verbose', '--maxWorkers=4')).toEqual(select());
    const onServices = [
      'unit',
      'programs',
      'e2e-services',
      'medium',
      'hostile',
      'multi-instance',
      'clients',
      'browser-cluster',
    ];
    expect(Object.keys(select('--services'))).toEqual(onServices);
  });

  it.each([
    [[CREATE], { 'e2e-embedded': [CREATE] }],
    [[`./${CREATE}`], { 'e2e-embedded': [CREATE] }],
    [[CREATE, '--services'], { 'e2e-services': [CREATE] }],
    [[CREATE, '--all-backends'], { 'e2e-embedded': [CREATE], 'e2e-services': [CREATE] }],
    [['--selectProjects', 'e2e-services', CREATE], { 'e2e-services': [CREATE] }],
    [
      [CREATE, '--selectProjects', 'e2e-services', 'e2e-embedded'],
      { 'e2e-embedded': [CREATE], 'e2e-services': [CREATE] },
    ],
    [['-t', 'sessions', 'E2E/SESSIONS/create.spec'], { 'e2e-embedded': [CREATE] }],
    [['test/browser/devices.spec', '--services'], { 'browser-cluster': ['test/browser/devices.spec.ts'] }],
    [['--maxWorkers', '1', '--testPathPatterns', 'sessions/create.spec'], { 'e2e-embedded': [CREATE] }],
    [['no-such-file'], {}],
  ])('runs each file once with %j', (args, expected) => {
    expect(select(...args)).toEqual(expected);
  });

  it('rejects an unknown project and names the known ones', () => {
    expect(() => select('--selectProjects', 'e2e')).toThrow('No project e2e. Choose from unit, programs, e2e-embedded');
  });

  it.each(['--project=browser-cluster', '--project', '--max-worker=2'])('rejects the unknown option %s', (option) => {
    expect(() => select(CREATE, option)).toThrow(`No option ${option.split('=')[0]}. CONTRIBUTING.md#tests`);
  });

  it.each(['--no-cache', '--testTimeout=5000', '--test-timeout=5000', '--bail'])('passes %s on to Jest', (option) => {
    expect(select(CREATE, option)).toEqual({ 'e2e-embedded': [CREATE] });
  });

  /** Returns the files of a tier by project, as the runner selects them if every dependency is available. */
  function selectTier(tier: string): Record<string, string[]> {
    const projects = Object.entries(select()).map(([name, files]) => ({ name, files }));
    const script = `import { selectTier } from ${JSON.stringify(pathToFileURL(join(TOOLS, 'tiers.mjs')))};
      console.log(JSON.stringify(selectTier(${JSON.stringify(projects)}, '${tier}', ${JSON.stringify(ROOT)})));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    return Object.fromEntries((JSON.parse(stdout) as Project[]).map(({ name, files }) => [name, files]));
  }

  it('runs the cheapest level whole in npm test, on PostgreSQL, and everything in test:all', () => {
    const [quick, all, full] = ['quick', 'all', 'full'].map(selectTier);
    const names = (tier: Record<string, string[]>) =>
      Object.entries(tier).flatMap(([project, files]) => files.map((file) => `${project} ${file}`));
    expect(names(all!)).toEqual(expect.arrayContaining(names(quick!)));
    expect(names(full!)).toEqual(expect.arrayContaining(names(all!)));
    expect(all!['e2e-services']).toEqual(select()['e2e-services']);
    expect(quick).not.toHaveProperty('e2e-embedded');
    for (const project of ['unit', 'programs']) expect(quick![project]).toEqual(all![project]);
    expect(all!['e2e-services']!.length - quick!['e2e-services']!.length).toBe(selection.COSTLY.length);
    expect(quick!['multi-instance']).toEqual(expect.arrayContaining(['test/multi-instance/balancing.spec.ts']));
    expect(all!['e2e-embedded']!.length).toBeLessThan(full!['e2e-embedded']!.length / 5);
  });

  it('spends at most six minutes of one worker on boundaries in npm test', () => {
    const { files } = JSON.parse(readFileSync(join(ROOT, 'test', 'durations.json'), 'utf8')) as {
      files: Record<string, [ms: number, cpuMs: number]>;
    };
    const boundaries = ['browser', 'clients', 'hostile', 'medium', 'multi-instance'].flatMap((project) =>
      (selectTier('quick')[project] ?? []).map((path) => `${project} ${path}`),
    );
    const isOfTools = (name: string) => new RegExp(selection.OF_TOOLS.join('|')).test(name);
    const known = boundaries.filter((name) => !isOfTools(name)).map((name) => files[name]?.[0] ?? NaN);
    expect(known.length).toBeGreaterThan(20);
    expect(known.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(360_000);
  });

  it('runs files that measure after all others, two at a time', () => {
    const projects = Object.entries(selectTier('all')).map(([name, files]) => ({ name, files }));
    const script = `import { groupIntoRuns } from ${JSON.stringify(pathToFileURL(join(TOOLS, 'tiers.mjs')))};
      console.log(JSON.stringify(groupIntoRuns(${JSON.stringify(projects)}, 3)));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    const runs = JSON.parse(stdout) as { projects: Project[]; workers: number }[];
    expect(runs.map(({ workers }) => workers)).toEqual([3, 2]);
    expect(runs[1]!.projects.map(({ name }) => name)).toEqual(['hostile', 'multi-instance']);
    const folder = createTempFolder();
    for (const { projects: planned } of runs) {
      const files = Object.fromEntries(planned.map(({ name, files: paths }) => [name, paths]));
      writeFileSync(join(folder, 'plan.json'), JSON.stringify({ files }));
      // Jest finds the files of a run by itself, from its configuration.
      const args = ['--listTests', '--selectProjects', 'hostile', ...(files.unit ? ['unit'] : [])];
      const listed = spawnSync(process.execPath, [join(ROOT, 'node_modules', '.bin', 'jest'), ...args], {
        cwd: ROOT,
        encoding: 'utf8',
        env: { ...process.env, TEST_PLAN: join(folder, 'plan.json') },
      });
      const paths = listed.stdout.split('\n').filter((line) => line.startsWith(ROOT));
      const expected = [...(files.hostile ?? []), ...(files.unit ?? [])];
      expect(paths.map((path) => relative(ROOT, path)).sort()).toEqual(expected.sort());
    }
  });
});

describe('budgets of CPU time', () => {
  const find = (cpuMs: number, unitMs: number, otherCpuMs = 1_000) => {
    const results = [
      { finished: 'unit a', project: 'unit', cpuMs, unitMs },
      { finished: 'medium b', project: 'medium', cpuMs: otherCpuMs, unitMs },
    ];
    const committed = { unitMs: 100, files: { 'unit a': [1, 100_000], 'medium b': [1, 1_000] } };
    const script = `import { findExceededBudgets } from ${JSON.stringify(pathToFileURL(join(TOOLS, 'budget.mjs')))};
      const [results, committed] = ${JSON.stringify([results, committed])};
      console.log(JSON.stringify(findExceededBudgets(results, committed)));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    return JSON.parse(stdout) as string[];
  };

  it('fail a project that takes half more, on a machine of the same speed', () => {
    expect(find(169_000, 100)).toEqual([]);
    expect(find(171_000, 100)).toEqual([
      expect.stringMatching(/^unit: its files took 171 s of CPU time instead of 100 s/),
    ]);
    expect(find(171_000, 200)).toEqual([]);
    expect(find(341_000, 200)).toHaveLength(1);
  });

  it('allow for what slows the files of other projects too, up to a half', () => {
    expect(find(250_000, 100, 1_400)).toHaveLength(1);
    expect(find(237_000, 100, 1_400)).toEqual([]);
    expect(find(254_000, 100, 9_000)).toEqual([]);
    expect(find(256_000, 100, 9_000)).toHaveLength(1);
  });
});
