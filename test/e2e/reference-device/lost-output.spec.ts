import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ApprovalFixture } from '../../support/approval-fixture';
import { itWith } from '../../support/dependencies';
import { expectStatus } from '../../support/device/foreign-device';
import { findSingleFile } from '../../support/program-files';
import { createTempFolder } from '../../support/temp-folder';
import { waitFor } from '../../support/wait-for';

const WITHIN_MS = 30_000;
/** Runs a program on a pseudo-terminal, and closes that at the end of standard input, without SIGHUP. */
const ON_TERMINAL = `
import os, pty, subprocess, sys
master, slave = pty.openpty()
program = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, start_new_session=True)
os.close(slave)
print(program.pid, flush=True)
os.read(master, 1)
sys.stdin.read()
os.close(master)
print("status", program.wait(), flush=True)
`;

describe('a machine whose output nobody reads any more', () => {
  let fixture: ApprovalFixture;
  let id: string;
  const keyFile = join(createTempFolder(), 'machine.json');

  beforeAll(async () => {
    fixture = await ApprovalFixture.start();
    const machine = await fixture.startMachineWith({ keyFile });
    ({ id } = machine);
    await machine.stop();
  });
  afterAll(() => fixture?.stop());

  const getCommand = () => [
    findSingleFile('device'),
    ...['machine', '--account', fixture.ada.username, '--url', fixture.service.url],
    ...['--key-file', keyFile, '--cwd', fixture.folder],
  ];
  const invoke = async () => {
    const answer = await fixture.post(`/machines/${id}/invoke`, { command: 'echo', args: ['served'] });
    expect(expectStatus(answer, 200).result.stdout).toBe('served\n');
  };
  /** Each call is a line of the log. */
  const expectServed = async () => {
    for (let count = 0; count < 3; count++) await invoke();
  };
  const createEnvironment = () => ({ PATH: process.env.PATH });

  it('goes on with its commands after the reader of a pipe has ended, and says so once', async () => {
    const child = spawn(process.execPath, getCommand(), {
      env: createEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const errors = text(child.stderr);
    await once(child.stdout, 'data');
    await waitFor(invoke, WITHIN_MS);
    const started = await fixture.post(`/machines/${id}/invocations`, {
      command: 'sh',
      args: ['-c', 'sleep 2; echo a'],
    });
    const { id: invocation } = expectStatus(started, 202).data;
    child.stdout.destroy();
    await expectServed();
    await waitFor(async () => {
      const path = `/machines/${id}/invocations/${invocation}`;
      expect(await fixture.get(path)).toMatchObject({ state: 'completed', exitCode: 0 });
    }, WITHIN_MS);
    child.kill('SIGTERM');
    await once(child, 'exit');
    expect(child.exitCode).toBe(0);
    expect(await errors).toBe("The output can't be written (EPIPE). The work goes on without it.\n");
  });

  it('goes on without a reader of its errors, also after a hangup', async () => {
    const child = spawn('sh', ['-c', 'exec "$0" "$@" 2>&1', process.execPath, ...getCommand()], {
      env: createEnvironment(),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(child.stdout, 'data');
    await waitFor(invoke, WITHIN_MS);
    child.stdout.destroy();
    child.kill('SIGHUP');
    await expectServed();
    child.kill('SIGTERM');
    await once(child, 'exit');
    expect(child.exitCode).toBe(0);
  });

  itWith('python3')('ends in order with a failure on the hangup of its terminal', async () => {
    const program = spawn('python3', ['-c', ON_TERMINAL, process.execPath, ...getCommand()], {
      env: createEnvironment(),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const pid = Number(String((await once(program.stdout, 'data'))[0]));
    const rest = text(program.stdout);
    await waitFor(invoke, WITHIN_MS);
    const { data } = expectStatus(
      await fixture.post(`/machines/${id}/invocations`, { command: 'sleep', args: ['60'] }),
      202,
    );
    program.stdin.end();
    process.kill(pid, 'SIGHUP');
    expect(await rest).toBe('status 1\n');
    expect(await fixture.get(`/machines/${id}/invocations/${data.id}`)).toMatchObject({ state: 'failed' });
  });

  itWith('python3')('goes on after its terminal was closed, and ends without a crash', async () => {
    const program = spawn('python3', ['-c', ON_TERMINAL, process.execPath, ...getCommand()], {
      env: createEnvironment(),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const pid = Number(String((await once(program.stdout, 'data'))[0]));
    const rest = text(program.stdout);
    await waitFor(invoke, WITHIN_MS);
    program.stdin.end();
    await expectServed();
    process.kill(pid, 'SIGTERM');
    expect(await rest).toBe('status 0\n');
  });

  it('goes on while the disk of its log is full', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, getCommand(), { env: createEnvironment(), stdio: ['ignore', full, full] });
    await waitFor(invoke, WITHIN_MS);
    await expectServed();
    child.kill('SIGTERM');
    await once(child, 'exit');
    expect(child.exitCode).toBe(0);
  });
});

describe('another command', () => {
  const run = (output: string) =>
    spawn(
      'bash',
      ['-c', `set -o pipefail; "$0" "$@" ${output}`, process.execPath, findSingleFile('device'), '--help'],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );

  it.each([
    ['ends quietly when its reader has read enough', '| true', 0, ''],
    ["fails when the output can't be written", '> /dev/full', 1, "error: The output can't be written (ENOSPC).\n"],
  ])('%s', async (_, output, status, errors) => {
    const child = run(output);
    const errorText = text(child.stderr);
    await once(child, 'exit');
    expect(child.exitCode).toBe(status);
    expect(await errorText).toBe(errors);
  });
});
