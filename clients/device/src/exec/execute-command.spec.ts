import { existsSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../../../test/support/wait-for';
import type { CommandError } from './command-error';
import { STREAM_LIMIT_BYTES } from './output-buffer';
import { executeCommand, type ExecuteCommandOptions } from './execute-command';
import { createCommandEnvironment } from './spawn-command';

// Real processes throughout: nothing here is simulated.
const folder = mkdtempSync(join(tmpdir(), 'run-command-'));
afterEach(() => killCommandProcesses());
afterAll(() => rmSync(folder, { recursive: true }));

const runTestCommand = (command: string, args: string[] = [], options: Partial<ExecuteCommandOptions> = {}) =>
  executeCommand({ command, args, cwd: folder, timeoutMs: 10_000, ...options });
const runShellScript = (script: string, options: Partial<ExecuteCommandOptions> = {}) =>
  runTestCommand('sh', ['-c', script], options);
const getErrorCode = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error: CommandError) => error.code,
  );

/** Kills the processes that a failed test leaves: every command runs in the folder, and so do its children. */
function killCommandProcesses(): void {
  const pids = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  for (const pid of pids) {
    try {
      if (readlinkSync(`/proc/${pid}/cwd`) === folder) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // The process has exited meanwhile, or belongs to another user.
    }
  }
}

/** Gone, or a zombie that its new parent has not waited for. */
function isDead(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

async function expectProcessesDead(pids: number[]): Promise<void> {
  expect(pids.length).toBeGreaterThan(0);
  for (let waitedMs = 0; waitedMs < 5_000 && !pids.every(isDead); waitedMs += 20) await sleep(20);
  expect(pids.filter((pid) => !isDead(pid))).toEqual([]);
}

const parsePids = (text: string): number[] => text.trim().split(/\s+/).map(Number);

describe('a command that ends by itself', () => {
  it('gives its exit code and both streams', async () => {
    const result = await runShellScript('echo out; echo err >&2; exit 3');
    expect(result).toEqual({
      exitCode: 3,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
      stdoutTruncated: false,
      stderrTruncated: false,
      stdoutBytes: 4,
      stderrBytes: 4,
      timedOut: false,
      durationMs: expect.any(Number),
    });
  });

  it('gives the signal that ended it', async () => {
    expect(await runShellScript('kill -9 $$')).toMatchObject({
      exitCode: null,
      signal: 'SIGKILL',
      timedOut: false,
    });
  });

  it('gets its arguments as they are', async () => {
    const args = ['two words', `"quoted" 'too'`, '$(id)', '`id`', '$HOME', '; ls', '*', '', 'ü\n€'];
    const result = await runTestCommand('node', ['-e', 'console.log(JSON.stringify(process.argv.slice(1)))', ...args]);
    expect(JSON.parse(result.stdout)).toEqual(args);
  });

  it('has no standard input, runs in the requested folder, and sees no secrets', async () => {
    process.env.DEVICE_SECRET_FOR_TEST = 'leaked';
    const result = await runShellScript('cat; pwd; env; ls -l /proc/self/fd/0');
    delete process.env.DEVICE_SECRET_FOR_TEST;
    expect(result.stdout).toContain(folder);
    expect(result.stdout).toContain('/dev/null');
    expect(result.stdout).not.toContain('leaked');
    expect(result.stdout).toMatch(/^PATH=/m);
  });

  it('sees the home, the language and the time zone of the device', () => {
    const harmless = { HOME: '/home/ada', LANG: 'de_DE.UTF-8', LC_TIME: 'C', TZ: 'Asia/Tokyo', TMPDIR: '/tmp/ada' };
    const environment = createCommandEnvironment([], { ...harmless, LC_TOKEN_2: 'secret', HOME_KEY: 'secret' });
    expect(environment).toEqual({ ...harmless, PATH: environment.PATH });
  });

  it('is given its input, and may leave it unread', async () => {
    expect((await runTestCommand('cat', [], { input: 'häl\nlo' })).stdout).toBe('häl\nlo');
    expect((await runTestCommand('true', [], { input: 'x'.repeat(5_000_000) })).exitCode).toBe(0);
  });
});

describe('a command that outlives its time', () => {
  it('is ended with all that it forked', async () => {
    const result = await runShellScript('sleep 60 & echo $$ $!; sh -c "sleep 61 & echo \\$!; wait"; wait', {
      timeoutMs: 300,
    });
    expect(result).toMatchObject({ timedOut: true, signal: 'SIGTERM' });
    await expectProcessesDead(parsePids(result.stdout));
  });

  it('is killed when it ignores SIGTERM, and so are its children', async () => {
    const startedAt = Date.now();
    const script = 'trap "" TERM; sh -c \'trap "" TERM; while :; do sleep 0.05; done\' & echo $$ $!; wait';
    const result = await runShellScript(`${script}; while :; do sleep 0.05; done`, { timeoutMs: 300 });
    expect(Date.now() - startedAt).toBeLessThan(300 + 1500);
    expect(result).toMatchObject({ timedOut: true, exitCode: null, signal: 'SIGKILL' });
    await expectProcessesDead(parsePids(result.stdout));
  });

  it('keeps what it wrote before', async () => {
    expect(await runShellScript('echo early; sleep 60', { timeoutMs: 200 })).toMatchObject({
      stdout: 'early\n',
      timedOut: true,
    });
  });
});

describe('a leader that leaves children behind', () => {
  it('is answered although a child holds its output', async () => {
    const startedAt = Date.now();
    const result = await runShellScript('sleep 60 & echo $!; exit 4');
    expect(Date.now() - startedAt).toBeLessThan(2000);
    expect(result).toMatchObject({ exitCode: 4, timedOut: false });
    await expectProcessesDead(parsePids(result.stdout));
  });

  it('is answered although a process that left the group holds its output', async () => {
    const startedAt = Date.now();
    const result = await runShellScript('setsid sleep 5 & echo $!; sleep 0.1');
    expect(Date.now() - startedAt).toBeLessThan(2500);
    expect(result.exitCode).toBe(0);
    parsePids(result.stdout).forEach((pid) => process.kill(pid, 'SIGKILL'));
  });

  it('does not leave them running with their output elsewhere', async () => {
    const result = await runShellScript('sleep 60 >/dev/null 2>&1 & echo $!');
    await expectProcessesDead(parsePids(result.stdout));
  });
});

describe('a command that floods its output', () => {
  it('keeps head and tail of 50 MB in bounded memory', async () => {
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 10);
    const result = await runShellScript('echo first; head -c 52428800 /dev/zero | tr "\\0" x; echo; echo last');
    clearInterval(watch);
    expect(result.stdoutBytes).toBe(52428800 + 12);
    expect(result.stdoutTruncated).toBe(true);
    expect(Buffer.byteLength(result.stdout)).toBeLessThanOrEqual(STREAM_LIMIT_BYTES);
    expect(result.stdout).toMatch(/^first\n/);
    expect(result.stdout).toMatch(/\nlast\n$/);
    expect(result.stdout).toMatch(/\n\[\.\.\. \d+ bytes left out \.\.\.\]\n/);
    expect(peak - before).toBeLessThan(40 * 1024 * 1024);
  });

  it('is ended at its time while it writes without end', async () => {
    const result = await runTestCommand('yes', [], { timeoutMs: 300 });
    expect(result).toMatchObject({ timedOut: true, stdoutTruncated: true });
    expect(result.stdoutBytes).toBeGreaterThan(STREAM_LIMIT_BYTES);
  });

  it('stays below what the relay takes, whatever the bytes are', async () => {
    const flood = 'head -c 600000 /dev/zero';
    const result = await runShellScript(`${flood}; (${flood}) >&2`);
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(3 * 1024 * 1024);
    expect(result).toMatchObject({ stdoutBytes: 600000, stderrBytes: 600000, stdoutTruncated: true });
  });
});

it('replaces broken UTF-8', async () => {
  const result = await runShellScript("printf 'a\\377b\\303(\\342\\202\\254'");
  expect(result.stdout).toBe('a\ufffdb\ufffd(€');
  expect(result.stdoutBytes).toBe(8);
});

describe('a cancelled command', () => {
  it('is ended with all that it forked', async () => {
    const controller = new AbortController();
    const file = join(folder, 'pids');
    const running = getErrorCode(
      runShellScript(`sleep 60 & echo $$ $! > ${file}; wait`, { signal: controller.signal }),
    );
    const pids = await waitFor(() => {
      const started = parsePids(readFileSync(file, 'utf8'));
      expect(started).toHaveLength(2);
      return started;
    }, 10_000);
    controller.abort();
    expect(await running).toBe('cancelled');
    await expectProcessesDead(pids);
  });

  it('is not started when the cancel came first', async () => {
    const file = join(folder, 'started');
    expect(await getErrorCode(runShellScript(`touch ${file}`, { signal: AbortSignal.abort() }))).toBe('cancelled');
    expect(() => readFileSync(file)).toThrow('ENOENT');
  });
});
