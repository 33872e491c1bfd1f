import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createTempFolder } from '../support/temp-folder';

const ROOT = join(__dirname, '..', '..');
const TOOLS = join(ROOT, 'tools', 'test');

const PASSES = `it('passes', () => expect(1).toBe(1));`;
const HANGS = `it('hangs', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));`;
/** A stopped process neither exits nor closes its output when its parent does. */
const LEAVES_STOPPED_PROCESS = `it('leaves a process', () => {
  const child = require('node:child_process').spawn('sleep', ['600'], { stdio: 'inherit' });
  child.kill('SIGSTOP');
});`;

/** Runs a project of these files, then a project with one file that passes. Returns the output of the runner. */
function runFixture(
  files: Record<string, string>,
  { limits = { fileMs: 60_000, exitMs: 1_000 }, isRepeating = false, workers = 2, env = {} } = {},
) {
  const cwd = createTempFolder();
  for (const [path, text] of Object.entries({ 'later/later.spec.js': PASSES, ...files })) {
    mkdirSync(join(cwd, path, '..'), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  const projects = ['first', 'later'].map((name) => ({
    displayName: name,
    rootDir: join(cwd, name),
    transform: {},
    testRunner: join(ROOT, 'test', 'support', 'test-runner.js'),
    ...(`${name}/setup.js` in files && { globalSetup: join(cwd, name, 'setup.js') }),
  }));
  // Runs the planned files only, as the project's own configuration does.
  const config = `const { files } = JSON.parse(require('node:fs').readFileSync(process.env.TEST_PLAN, 'utf8'));
    const match = (name) => (files[name] ?? []).map((path) => '${cwd}/' + path);
    const plan = (project) => ({ ...project, testMatch: match(project.displayName) });
    const projects = ${JSON.stringify(projects)}.map(plan);
    module.exports = { rootDir: '${cwd}', projects, workerIdleMemoryLimit: '1GB' };`;
  writeFileSync(join(cwd, 'jest.config.js'), config);
  const groups = [
    {
      projects: [{ name: 'first', files: Object.keys(files).filter((path) => /^first\/.*\.spec\.js$/.test(path)) }],
      workers,
    },
    { projects: [{ name: 'later', files: ['later/later.spec.js'] }], workers: 1 },
  ];
  const script = `import { runAll } from ${JSON.stringify(pathToFileURL(join(TOOLS, 'run-all.mjs')))};
    process.exit(await runAll(${JSON.stringify(groups)}, ${JSON.stringify({ cwd, limits, isRepeating })}));`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  return { status, stdout, stderr, lastLine: stdout.trimEnd().split('\n').at(-1) };
}

describe('the test runner', () => {
  it('counts failures whose values JSON cannot express, crashed workers and broken files, and runs the rest', () => {
    const { status, stdout, lastLine } = runFixture({
      'first/circular.spec.js': `it('is circular', () => {
        const value = {};
        value.self = value;
        expect(value).toEqual({});
      });
      ${PASSES}`,
      'first/bigint.spec.js': `it('is a bigint', () => expect({ n: 1n }).toEqual({ n: 2n }));`,
      'first/crash.spec.js': `it('kills its worker', () => process.kill(process.pid, 'SIGKILL'));`,
      'first/broken.spec.js': `throw new Error('not a test file');`,
      'first/passes.spec.js': `${PASSES} it.skip('is skipped', () => {});`,
    });
    expect(lastLine).toBe('3 passed, 4 failed, 1 skipped');
    expect(status).toBe(1);
    const failures = stdout.match(/^failed: .*$/gm)!.sort();
    expect(failures).toEqual([
      'failed: first/bigint.spec.js: is a bigint',
      'failed: first/broken.spec.js: the file',
      'failed: first/circular.spec.js: is circular',
      'failed: first/crash.spec.js: the file',
    ]);
    expect(stdout).toMatch(/^\[6\/6, .*\] PASS later later\/later\.spec\.js/m);
    expect(stdout).not.toContain('\r');
  });

  it('exits although a stopped process of a test holds its output, and kills the process', () => {
    const { status, stdout, lastLine } = runFixture({ 'first/leak.spec.js': LEAVES_STOPPED_PROCESS });
    expect(stdout).toMatch(/ \d+ sleep 600$/m);
    expect({ status, lastLine }).toEqual({ status: 0, lastLine: '2 passed, 0 failed' });
  });

  it('removes the folders of a file after its last hook, and those of killed runs', () => {
    const orphan = join(tmpdir(), `external-api-test-${spawnSync('true').pid}-orphan`);
    mkdirSync(orphan);
    const { stdout } = runFixture({
      'first/folder.spec.js': `const fs = require('node:fs');
        const folder = fs.mkdtempSync(require('node:os').tmpdir() + '/external-api-test-' + process.pid + '-');
        fs.writeFileSync(__dirname + '/folder', folder);
        afterAll(() => fs.writeFileSync(folder + '/file', ''));
        ${PASSES}`,
      'later/later.spec.js': `const fs = require('node:fs');
        it('finds no folder', () => {
          expect(fs.existsSync(fs.readFileSync(__dirname + '/../first/folder', 'utf8'))).toBe(false);
        });`,
    });
    expect(stdout).toMatch(/^2 passed, 0 failed$/m);
    expect(existsSync(orphan)).toBe(false);
  });

  it('names a file that hangs, counts it as failed, and runs the files that Jest has not started', () => {
    const names = ['b', 'c', 'd'];
    const files = {
      'first/a.spec.js': HANGS,
      ...Object.fromEntries(names.map((name) => [`first/${name}.spec.js`, PASSES])),
    };
    const { stdout, lastLine } = runFixture(files, { limits: { fileMs: 10_000, exitMs: 1_000 }, workers: 1 });
    expect(stdout).toContain('failed: first first/a.spec.js: the file');
    expect(lastLine).toBe('4 passed, 1 failed');
  });

  /** A test that fails in the first run of its file. */
  const failsOnce = (name: string) => `it('passes later', () => {
    const { existsSync, writeFileSync } = require('node:fs');
    const mark = require('node:path').join(__dirname, '${name}.mark');
    const isFirst = !existsSync(mark);
    writeFileSync(mark, '');
    if (isFirst) throw new Error('not yet\\nand more');
  });`;
  const createFailingOnce = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`first/once-${index}.spec.js`, failsOnce(`once-${index}`)]),
    );

  it('repeats failed files one at a time, and names those that pass then as flaky', () => {
    const { status, stdout } = runFixture(
      {
        ...createFailingOnce(2),
        'first/fails.spec.js': `it('fails', () => expect(1).toBe(2));`,
        'first/passes.spec.js': PASSES,
      },
      { isRepeating: true },
    );
    expect(stdout.match(/^flaky: .*$/gm)!.sort()).toEqual([
      'flaky: first/once-0.spec.js: passes later: Error: not yet',
      'flaky: first/once-1.spec.js: passes later: Error: not yet',
    ]);
    expect(stdout.match(/^failed: .*$/gm)).toEqual(['failed: first/fails.spec.js: fails']);
    expect(stdout.trimEnd().split('\n').slice(-2)).toEqual(['2 flaky files', '4 passed, 1 failed']);
    expect(status).toBe(1);
  });

  it.each([
    [5, 0, '6 passed, 0 failed'],
    [6, 1, '7 passed, 1 failed'],
  ])('with %i flaky files ends with status %i', (count, expected, lastLine) => {
    const run = runFixture(createFailingOnce(count), { isRepeating: true });
    expect({ status: run.status, lastLine: run.lastLine }).toEqual({ status: expected, lastLine });
    expect(run.stdout.match(/^flaky: /gm)).toHaveLength(count);
  });

  it('repeats nothing with --once, for selected files, and in the nightly run', () => {
    const script = `import { parseArguments } from ${JSON.stringify(pathToFileURL(join(TOOLS, 'arguments.mjs')))};
      const parse = (...args) => parseArguments(args, ['unit']).isRepeating;
      const runs = [[], ['--all'], ['--once'], ['--all', '--once'], ['pairing'], ['--full']];
      console.log(JSON.stringify(runs.map((args) => parse(...args))));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(JSON.parse(stdout)).toEqual([true, true, false, false, false, false]);
  });

  it('skips the tests of a file after one that failed with TEST_STOP_AT_FAILURE', () => {
    const files = { 'first/fails.spec.js': `${PASSES} it('fails', () => expect(1).toBe(2)); ${PASSES}` };
    expect(runFixture(files, { env: { TEST_STOP_AT_FAILURE: '1' } }).lastLine).toBe('2 passed, 1 failed, 1 skipped');
  });

  it('fails if Jest ends before its last file, for example because the build fails', () => {
    const files = { 'first/passes.spec.js': PASSES, 'first/setup.js': 'module.exports = () => process.exit(3);' };
    const { status, stdout, lastLine } = runFixture(files);
    expect(stdout).toContain('failed: Jest ended with 3 before its last file');
    expect({ status, lastLine }).toEqual({ status: 1, lastLine: '1 passed, 1 failed' });
  });
});
