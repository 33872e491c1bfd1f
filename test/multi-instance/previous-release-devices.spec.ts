import { join } from 'node:path';
import { ensureServiceBuilt, BUILD_FOLDER } from '../support/ensure-service-built';
import { ForeignAccountDevice, expectStatus } from '../support/device/foreign-device';
import { findFreePort } from '../support/find-free-port';
import { MachineProcess, type MachineProcessOptions } from '../support/machine-process';
import { expectProblem } from '../support/problems';
import { ServiceProcess } from '../support/service-process';
import { createTempFolder } from '../support/temp-folder';
import { waitFor } from '../support/wait-for';
import { compilePreviousRelease, describeWithPreviousRelease } from './support/previous-build';

const TEST_AGENT = join(BUILD_FOLDER, 'clients', 'device', 'src', 'agent', 'test-agent', 'main.js');
const SCOPES = ['sessions:read', 'sessions:write', 'machines:read', 'machines:invoke'];

/** Devices are updated later than the service, or earlier (docs/protocol/device-api.md#handshake). */
describeWithPreviousRelease('a machine and a service of different releases', () => {
  let previousBuild: string;
  let service: ServiceProcess;
  let machine: MachineProcess;
  let token: string;

  beforeAll(async () => {
    await ensureServiceBuilt();
    previousBuild = await compilePreviousRelease();
  }, 120_000);
  afterEach(async () => {
    await machine?.stop();
    await service?.stop();
  });

  async function start(build: string, options: MachineProcessOptions) {
    const port = await findFreePort();
    const env = { DATA_DIR: createTempFolder(), PUBLIC_URL: `http://127.0.0.1:${port}` };
    service = await ServiceProcess.start(env, { build, port });
    const ada = await ForeignAccountDevice.signUp(service.http);
    token = (await ada.createToken(SCOPES)).token;
    machine = await MachineProcess.start(service.http.url, ada, options);
  }
  const post = (path: string, body?: object) => service.http.post(`/external/v1${path}`, token, body);

  async function sendMessage(content: string) {
    const { data } = expectStatus(await service.http.get('/external/v1/sessions', token), 200);
    const [session] = data as { id: string }[];
    return expectStatus(await post(`/sessions/${session!.id}/messages`, { content }), 200).result;
  }

  async function expectWorkingMachine(): Promise<void> {
    const invoked = await post(`/machines/${machine.id}/invoke`, { command: 'echo', args: ['here'] });
    expect(expectStatus(invoked, 200).result).toMatchObject({ exitCode: 0, stdout: 'here\n' });
  }

  it('work together if only the machine is new: its agent answers messages, without turns', async () => {
    const agent = `test='${process.execPath}' '${TEST_AGENT}'`;
    await start(previousBuild, { args: ['--agent', agent] });
    await expectWorkingMachine();
    const result = await sendMessage('say Hello.');
    expect(result).toMatchObject({ accepted: true, reply: 'Hello.' });
    expect(result).not.toHaveProperty('turn');
    // The message and the answer are in the history, which this service stores without turns.
    await waitFor(async () => {
      const { data } = expectStatus(await service.http.get('/external/v1/sessions', token), 200);
      expect(data).toMatchObject([{ messageCount: 2 }]);
    });
  }, 60_000);

  it('work together if only the service is new: there are no turns, and no sessions to start', async () => {
    await start(BUILD_FOLDER, { main: join(previousBuild, 'src', 'reference-device', 'main.js') });
    await expectWorkingMachine();
    expect(await sendMessage('hello')).toMatchObject({ accepted: true, reply: 'hello' });
    const refused = await post(`/machines/${machine.id}/sessions`, {});
    expect(expectProblem(refused, 503, 'no_online_device').outcome).toBe('not_delivered');
  }, 60_000);
});
