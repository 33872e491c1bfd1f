import { execFile, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isMissing, itWith } from '../support/dependencies';
import { createTempFolder } from '../support/temp-folder';
import { waitFor } from '../support/wait-for';
import { Quickstart } from '../support/quickstart';

const run = promisify(execFile);
/** Longer than a step of `short-steps.cjs`. */
const SHORT_STEP_MS = 16_000;
const STEPS = [
  'Build',
  'Start the service',
  'Create an account',
  'Pair a machine',
  'Create a token',
  'Start an agent',
  'Send a message',
  'Approve a tool call',
  'Wait for the turn',
  'Read the changes',
  'Run a command',
];

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

jest.setTimeout(120_000);

describe('npm run quickstart', () => {
  afterEach(() => Quickstart.killAll());

  it('runs with --once, again on the same folder, with keys of a deleted database, and without keys', async () => {
    const first = await Quickstart.once(join(createTempFolder(), 'not', 'there', 'yet'));
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const steps = first.stdout.split('\n').filter((line) => line.startsWith('  ✓'));
    expect(steps.map((line) => line.slice(4, 24).trim()).slice(0, STEPS.length)).toEqual(STEPS);
    expect(first.stdout).toMatch(/Send a message.*requires_action/);
    expect(first.stdout).toMatch(/Approve a tool call.*"Edit greeting\.txt": allowed/);
    expect(first.stdout).toMatch(/Wait for the turn.*completed, tool calls: 2/);
    const withoutGit = isMissing('git') && /Read the changes.*none: Git is not installed/;
    expect(first.stdout).toMatch(withoutGit || /^ {2}\+Hello at \d{4}-/m);
    expect(first.stdout).toContain('"decision":"allow"');
    expect(first.stdout).toContain('"exitCode": 0');
    expect(first.stdout).not.toContain('\x1b');
    for (const secret of ['svc_dev_', '"d":', 'svc_pat_A']) expect(first.stdout).not.toContain(secret);
    expect(first.stdout).not.toMatch(/(\w{4}-){12}\w{4}/);
    for (const file of ['account.json', 'machine.json', 'service.log']) {
      expect(statSync(join(first.folder, file)).mode & 0o777).toBe(0o600);
    }
    expect(existsSync(join(first.folder, 'lock'))).toBe(false);

    const second = await Quickstart.once(first.folder);
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(second.stdout).toMatch(/Create an account.*demo, from an earlier run/);
    expect(second.stdout).toMatch(/Pair a machine.*mch_\w+, from an earlier run/);
    expect(second.stdout).toMatch(withoutGit || /^ {2}-Hello at .*\n {2}\+Hello at /m);

    await run('rm', ['-r', join(first.folder, 'pg')]);
    const third = await Quickstart.once(first.folder);
    expect(third.code).toBe(0);
    expect(third.stdout).not.toContain('earlier run');

    await run('rm', [join(first.folder, 'account.json')]);
    const fourth = await Quickstart.once(first.folder);
    expect(fourth).toMatchObject({ code: 0, stderr: '' });
    expect(fourth.stdout).toMatch(/Create an account.*demo-[0-9a-f]{6}$/m);
    expect(fourth.stdout).not.toContain('earlier run');
  });

  itWith('curl', 'ps')('stays up with curl lines that work, until Ctrl-C', async () => {
    const quickstart = await Quickstart.start([]);
    await quickstart.up();
    const { servicePid } = quickstart;
    expect(isAlive(servicePid)).toBe(true);
    expect(quickstart.browserLink).toContain(`http://127.0.0.1:${quickstart.port}/console/recover#key=`);

    const answers: object[] = [];
    expect(quickstart.stdout.match(/svc_pat_\w+/g)).toHaveLength(1);
    for (const script of quickstart.curlScripts) {
      const { stdout, stderr } = await run('sh', ['-c', script]);
      expect(stderr).toBe('');
      answers.push(JSON.parse(stdout) as object);
    }
    expect(answers).toMatchObject([
      { data: { account: { username: 'demo' } } },
      { data: [{ name: 'Quickstart machine', state: 'online' }] },
      { result: { reply: 'You said: is anyone there?', turn: { state: 'completed' } } },
      { result: { exitCode: 0, stdout: expect.stringContaining('UTC') } },
    ]);
    const { requestId } = answers[3] as { requestId: string };
    await waitFor(() => expect(quickstart.stdout).toContain(`machine.invoke  ${requestId}  ok`));

    expect(await quickstart.stop('SIGINT')).toMatchObject({ code: 0, stderr: '' });
    expect(isAlive(servicePid)).toBe(false);
    expect(existsSync(join(quickstart.folder, 'lock'))).toBe(false);
  });

  it('keeps its machine online after the time limits of all steps, also when garbage is collected', async () => {
    const expectOnline = async (env: NodeJS.ProcessEnv) => {
      const preload = join(__dirname, '..', 'support', 'short-steps.cjs');
      const NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --require ${preload}`;
      const quickstart = await Quickstart.start([], undefined, { ...env, NODE_OPTIONS });
      await quickstart.up();
      expect(quickstart.stdout).toContain('Steps are short.');
      const readState = async () => {
        const [, token] = /(svc_pat_\w+)/.exec(quickstart.stdout)!;
        const headers = { Authorization: `Bearer ${token}` };
        const response = await fetch(`http://127.0.0.1:${quickstart.port}/external/v1/machines`, { headers });
        return ((await response.json()) as { data: { state: string }[] }).data.map(({ state }) => state);
      };
      expect(await readState()).toEqual(['online']);
      await sleep(SHORT_STEP_MS);
      expect(await readState()).toEqual(['online']);
      expect(await quickstart.stop()).toMatchObject({ code: 0, stderr: '' });
    };
    await Promise.all([expectOnline({}), expectOnline({ COLLECT_GARBAGE: '1' })]);
  });

  it('reports an agent that cannot be started, with the path from its own working directory', async () => {
    const missing = await (await Quickstart.start(['--once', '--agent', './missing-agent'])).ended;
    expect(missing.code).toBe(1);
    expect(missing.stdout).toContain('✗ Start an agent');
    expect(missing.stderr).toMatch(
      /502 agent_not_found: The agent could not be started: The command ".*\/missing-agent"/,
    );
  });

  itWith('ps')('leaves no agent running', async () => {
    // Ignores the end of its input and the signals that ask it to stop, and starts another process.
    const script = "trap '' TERM INT HUP; sleep 99997 & sleep 99997";
    const quickstart = await Quickstart.start(['--agent', `sh -c "${script}"`]);
    const countSleeps = () =>
      spawnSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' })
        .stdout.split('\n')
        .filter((line) => line === 'sleep 99997').length;
    await waitFor(() => expect(countSleeps()).toBe(2), 60_000);
    quickstart.child.kill('SIGINT');
    await quickstart.ended;
    await waitFor(() => expect(countSleeps()).toBe(0));
  });

  it('uses a free port if its own is in use, reports it, and doesn’t touch databases of other projects', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const { code, stdout, stderr } = await Quickstart.once(undefined, {
      PORT: String(port),
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/other',
      APP_SECRET: 'short',
      SIGNUP: 'closed',
    });
    server.close();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [, other] = stdout.match(new RegExp(`Port ${port} is in use, so the service uses port (\\d+)`))!;
    expect(stdout).toContain(`http://127.0.0.1:${other}`);
  });

  it('names the setting of a folder that it can’t use', async () => {
    const { code, stderr } = await Quickstart.once('/dev/null/quickstart');
    expect([code, stderr]).toEqual([
      1,
      "\nDATA_DIR cannot be used: ENOTDIR: not a directory, mkdir '/dev/null/quickstart'\n",
    ]);
  });

  it('reports a folder in use without affecting the first one', async () => {
    const first = await Quickstart.start([]);
    await first.up();
    const second = await Quickstart.once(first.folder);
    expect(second.code).toBe(1);
    expect(second.stdout).toContain('✗ Start the service');
    expect(second.stderr).toBe(`\nA quickstart is already running at http://127.0.0.1:${first.port}\n`);
    expect(await first.stop('SIGTERM')).toMatchObject({ code: 0 });
  });

  itWith('ps')('exits with status 1 and the last log lines when the service crashes', async () => {
    const quickstart = await Quickstart.start([]);
    await quickstart.up();
    process.kill(quickstart.servicePid, 'SIGKILL');
    const { code, stderr } = await quickstart.ended;
    expect(code).toBe(1);
    expect(stderr).toContain('The service exited with SIGKILL');
  });

  itWith('ps')('leaves no service running, even when killed', async () => {
    const quickstart = await Quickstart.start([]);
    await quickstart.up();
    const { servicePid } = quickstart;
    await quickstart.stop('SIGKILL');
    await waitFor(() => expect(isAlive(servicePid)).toBe(false), 20_000);
  });

  itWith('ps')('stops during startup as well', async () => {
    const quickstart = await Quickstart.start([]);
    await waitFor(() => expect(existsSync(join(quickstart.folder, 'service.log'))).toBe(true), 20_000);
    const { servicePid } = quickstart;
    expect(await quickstart.stop('SIGINT')).toMatchObject({ code: 130, stderr: '' });
    expect(isAlive(servicePid)).toBe(false);
  });

  it.each([
    [['--twice'], {}, "unknown option '--twice'"],
    [['more'], {}, 'too many arguments'],
    [[], { PORT: '80a' }, 'PORT must be a whole number'],
    [[], { PORT: '65536' }, 'PORT must be a whole number from 0 to 65535: 65536'],
  ])('rejects %j with %j', async (args, env, message) => {
    const { code, stderr } = await (await Quickstart.start(args, undefined, env)).ended;
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
