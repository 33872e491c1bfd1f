import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { ensureServiceBuilt } from '../../support/ensure-service-built';
import { MachineProcess } from '../../support/machine-process';
import { expectProblem } from '../../support/problems';
import { Service } from '../../support/service';
import { createTempFolder } from '../../support/temp-folder';
import { waitFor } from '../../support/wait-for';

const FINAL_STATES = ['completed', 'cancelled', 'timed_out', 'failed'];

/** The process of the device, and commands that it really runs. */
describe('invocations of the reference device', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let machine: MachineProcess;
  let token: string;
  let keyFile: string;
  let folder: string;
  let serial = 0;

  beforeAll(async () => {
    await ensureServiceBuilt();
    service = await Service.start({ RATE_LIMIT_METADATA: '100000', RATE_LIMIT_RELAY: '100000' });
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['machines:invoke', 'machines:read']));
    keyFile = join(createTempFolder(), 'keys');
    folder = createTempFolder();
    machine = await startMachine();
  });
  afterAll(async () => {
    await machine?.stop();
    await service?.stop();
  });

  const startMachine = () => MachineProcess.start(service.url, ada, { keyFile, args: ['--cwd', folder] });
  const getPath = (suffix = '') => `/external/v1/machines/${machine.id}/invocations${suffix}`;
  const createPath = () => join(folder, String(++serial));
  const startScript = async (script: string, body: object = {}) => {
    const json = { command: 'sh', args: ['-c', script], ...body };
    return expectStatus(await service.http.post(getPath(), token, json), 202).data;
  };
  const read = async (id: string, query = '') =>
    expectStatus(await service.http.get(getPath(`/${id}${query}`), token), 200).data;
  const waitForEnd = async (id: string) => {
    let record = await read(id);
    while (!FINAL_STATES.includes(record.state))
      record = await read(id, `?waitMs=10000&afterVersion=${record.version}`);
    return record;
  };
  const readOutput = async (id: string, query = '') => {
    const { result } = expectStatus(await service.http.get(getPath(`/${id}/output${query}`), token), 200);
    return { ...result, text: Buffer.from(result.data, 'base64').toString() };
  };
  const waitForFile = (path: string) =>
    waitFor(() => expect(existsSync(path) && readFileSync(path, 'utf8')).toMatch(/\n$/), 30_000);

  it('announces the capability, runs a command, and serves its output in pieces', async () => {
    const { data } = expectStatus(await service.http.get(`/external/v1/machines/${machine.id}`, token), 200);
    expect(data.capabilities).toContain('invocation');
    const started = await startScript('pwd; head -c 600000 /dev/zero | tr "\\0" x; echo problem >&2; exit 3');
    // A command may have ended before the device answers.
    expect(['running', 'completed']).toContain(started.state);
    expect(await waitForEnd(started.id)).toMatchObject({
      state: 'completed',
      exitCode: 3,
      stdoutBytes: 600_001 + folder.length,
      stderrBytes: 8,
    });
    let text = '';
    for (let offset = 0, eof = false; !eof;) {
      const output = await readOutput(started.id, `?offset=${offset}`);
      expect(output.offset).toBe(offset);
      text += output.text;
      ({ nextOffset: offset, eof } = output);
    }
    expect(text).toBe(`${folder}\n${'x'.repeat(600_000)}`);
    expect((await readOutput(started.id, '?stream=stderr')).text).toBe('problem\n');
  });

  it('cancels a command, and ends one at its time limit', async () => {
    const { id } = await startScript('exec sleep 600');
    const cancelled = await service.http.post(getPath(`/${id}/cancel`), token, undefined);
    expect(expectStatus(cancelled, 200).result).toEqual({ state: 'cancelled' });
    await waitFor(async () => expect(await read(id)).toMatchObject({ state: 'cancelled', signal: 'SIGTERM' }), 20_000);
    const limited = await startScript('exec sleep 600', { timeoutMs: 300 });
    expect(await waitForEnd(limited.id)).toMatchObject({ state: 'timed_out', timedOut: true });
  });

  it('says why a command did not start', async () => {
    const body = { command: 'no-such-command-anywhere' };
    const problem = expectProblem(await service.http.post(getPath(), token, body), 502, 'device_error');
    expect(problem).toMatchObject({ outcome: 'answered', deviceError: { code: 'command_not_found' } });
    const id = problem.requestId.replace('req_', 'inv_');
    expect(await read(id)).toMatchObject({ state: 'failed', errorCode: 'command_not_found' });
  });

  it('delivers results when a sleeping device wakes up', async () => {
    const path = createPath();
    const { id } = await startScript(`sleep 1; echo woke; echo done > ${path}`);
    machine.fallAsleep();
    try {
      await waitForFile(path);
      expect(await read(id)).toMatchObject({ state: 'running' });
    } finally {
      machine.wakeUp();
    }
    expect(await waitForEnd(id)).toMatchObject({ state: 'completed', exitCode: 0, stdoutBytes: 5 });
    await waitFor(async () => expect(await readOutput(id)).toMatchObject({ text: 'woke\n', eof: true }), 30_000);
  });

  it('keeps results and output over a kill of the device, and fails what it killed', async () => {
    const ended = await startScript('echo kept');
    await waitForEnd(ended.id);
    const path = createPath();
    const interrupted = await startScript(`echo begun; echo $$ > ${path}; exec sleep 600`);
    await waitForFile(path);
    // What the device has not read when it is killed is lost.
    await waitFor(async () => expect((await readOutput(interrupted.id)).text).toBe('begun\n'));
    await machine.stop('SIGKILL');
    machine = await startMachine();
    expect(await waitForEnd(interrupted.id)).toMatchObject({ state: 'failed', errorCode: 'process_lost', version: 3 });
    expect(await readOutput(interrupted.id)).toMatchObject({ text: 'begun\n', eof: true });
    expect(await readOutput(ended.id)).toMatchObject({ text: 'kept\n', eof: true });
    const pid = Number(readFileSync(path, 'utf8'));
    await waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 20_000);
  });
});
