import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { ApprovalFixture } from '../support/approval-fixture';
import { getXapiPath, runXapi, XapiProcess, type XapiEnv } from '../support/clients/xapi';
import { itWith } from '../support/dependencies';
import { createScratchFolder } from '../support/scratch-folder';
import { waitFor } from '../support/wait-for';

describe('xapi run', () => {
  let fixture: ApprovalFixture;
  let env: XapiEnv;

  beforeAll(async () => {
    fixture = await ApprovalFixture.start();
    await fixture.startMachine('--name', 'build-1');
    const { token } = await fixture.ada.createToken(['machines:read', 'machines:invoke']);
    env = { XAPI_HOST: fixture.service.url, XAPI_TOKEN: token, XDG_CONFIG_HOME: createScratchFolder() };
  });
  afterAll(() => fixture?.stop());

  const run = (...command: string[]) => runXapi(['run', 'build-1', '--', ...command], env);
  const startShell = (script: string) => new XapiProcess(['run', 'build-1', '--', 'sh', '-c', script], env);
  const readState = async () =>
    (
      (await fixture.service.http.get(`/external/v1/machines/${await machineId()}/invocations`, env.XAPI_TOKEN))
        .body as {
        data: { state: string }[];
      }
    ).data[0]!.state;
  const machineId = async () =>
    ((await fixture.service.http.get('/external/v1/machines', env.XAPI_TOKEN)).body as { data: { id: string }[] })
      .data[0]!.id;

  it('passes on both outputs byte for byte, and the exit code', async () => {
    const bytes = '\\000\\377\\033[31m\\r\\n';
    const process = startShell(`printf '${bytes}'; printf 'a\\tb' >&2; exit 7`);
    const { code, err } = await process.exited;
    expect(code).toBe(7);
    expect([...process.bytes]).toEqual([0, 255, 27, 91, 51, 49, 109, 13, 10]);
    expect(err).toBe('a\tb');
  });

  it('passes on output while the command runs', async () => {
    const process = startShell('echo first; while [ ! -e seen ]; do sleep 0.1; done; echo last');
    await process.waitForOutput('first\n');
    expect((await run('touch', 'seen')).code).toBe(0);
    expect(await process.exited).toMatchObject({ code: 0, out: 'first\nlast\n', err: '' });
  });

  it('passes on megabytes without a loss and without a warning of Node.js', async () => {
    const process = startShell('seq 1 500000');
    const { code, out, err } = await process.exited;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.split('\n').length).toBe(500_001);
    expect(out.endsWith('\n499999\n500000\n')).toBe(true);
  });

  it('exits with 128 + n after a signal', async () => {
    expect(await run('sh', '-c', 'kill -TERM $$')).toMatchObject({ code: 143, out: '' });
  });

  it('exits with 124 when the time of the command is up', async () => {
    expect(await runXapi(['run', 'build-1', '--timeout', '1s', '--', 'sleep', '30'], env)).toMatchObject({ code: 124 });
  });

  it.each([
    [['build-1', '--', 'no-such-program'], 'The machine has no such program'],
    [['nowhere', '--', 'true'], 'There is no machine "nowhere".'],
    [['build-1', '--cwd', '/no/such/folder', '--', 'true'], 'folder'],
  ])('exits with 125 if the command did not run: %j', async (args, message) => {
    const { code, out, err } = await runXapi(['run', ...args], env);
    expect({ code, out }).toEqual({ code: 125, out: '' });
    expect(err).toContain(message);
  });

  it('prints one line of JSON for each piece of output, and the record last', async () => {
    const { code, out } = await runXapi(
      ['run', '--json', 'build-1', '--', 'sh', '-c', 'printf "\\033[0m"; exit 3'],
      env,
    );
    expect(code).toBe(3);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { type: 'output', stream: 'stdout', offset: 0, data: 'G1swbQ==' },
      { type: 'invocation', invocation: { state: 'completed', exitCode: 3 } },
    ]);
  });

  it('prints errors in one line of JSON for every reader', async () => {
    const { code, err } = await runXapi(['run', '--json', 'no\u2028such\u0085', '--', 'true'], env);
    expect(code).toBe(125);
    expect(err).toMatch(/^\{.*no\\u2028such\\u0085.*\}\n$/);
    expect(JSON.parse(err).error.message).toContain('no\u2028such\u0085');
  });

  it('cancels the command after Ctrl-C, and exits with 130', async () => {
    const process = startShell('trap "echo cleaned; exit 1" TERM; echo ready; while :; do sleep 0.1; done');
    await process.waitForOutput('ready\n');
    process.child.kill('SIGINT');
    const { code, out, err } = await process.exited;
    expect({ code, out }).toEqual({ code: 130, out: 'ready\ncleaned\n' });
    expect(err).toContain('Cancelling the command');
    expect(await readState()).toBe('cancelled');
  });

  it('ends at once after a second Ctrl-C', async () => {
    const process = startShell('trap "" TERM; echo ready; sleep 20');
    await process.waitForOutput('ready\n');
    process.child.kill('SIGINT');
    await process.waitForOutput('Cancelling');
    const before = performance.now();
    process.child.kill('SIGINT');
    expect(await process.exited).toMatchObject({ code: 130 });
    expect(performance.now() - before).toBeLessThan(4_000);
    await waitFor(async () => expect(await readState()).toBe('cancelled'), 20_000);
  });

  it('cancels the command when the reader of its output has enough', async () => {
    const endless = "sh -c 'while echo line; do sleep 0.1; done'";
    const script = `set -o pipefail; '${getXapiPath()}' run build-1 -- ${endless} | head -n 1`;
    const child = spawn('bash', ['-c', script], { env: { PATH: process.env.PATH, ...env } });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect({ code, out }).toEqual({ code: 141, out: 'line\n' });
    expect(err).not.toMatch(/^\s+at /m);
    expect(await readState()).toBe('cancelled');
  });

  it('runs a command once if it is killed and called again with the same key', async () => {
    const command = ['sh', '-c', 'echo run >> log; while [ ! -e go ]; do sleep 0.1; done; cat log'];
    const args = ['run', 'build-1', '--idempotency-key', 'once', '--', ...command];
    const first = new XapiProcess(args, env);
    await waitFor(() => expect(existsSync(join(fixture.folder, 'log'))).toBe(true), 15_000);
    first.child.kill('SIGKILL');
    await first.exited;
    const second = new XapiProcess(args, env);
    await run('touch', 'go');
    expect(await second.exited).toMatchObject({ code: 0, out: 'run\n' });
  });

  itWith('ps')('never shows the token in the list of processes or with --verbose', async () => {
    const process = new XapiProcess(['run', '--verbose', 'build-1', '--', 'sh', '-c', 'echo ready; sleep 1'], env);
    await process.waitForOutput('ready');
    const { stdout } = spawnSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' });
    expect(stdout).toContain('run --verbose build-1');
    const { out, err } = await process.exited;
    expect(err).toMatch(/^POST \/external\/v1\/machines\/mch_\w+\/invocations {2}202 {2}req_\w+ {2}\d+ ms$/m);
    expect(stdout + out + err).not.toContain(env.XAPI_TOKEN);
  });
});
