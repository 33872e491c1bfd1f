import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TcpProxy } from '../../multi-instance/support/tcp-proxy';
import { FaultProxy } from '../../support/clients/fault-proxy';
import { DeviceProgram } from '../../support/device-program';
import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import { ensureServiceBuilt } from '../../support/ensure-service-built';
import { MachineProcess } from '../../support/machine-process';
import { Service } from '../../support/service';
import { createTempFolder } from '../../support/temp-folder';
import { waitFor } from '../../support/wait-for';

const WITHIN_MS = 30_000;

describe('status', () => {
  const folder = createTempFolder();
  const keyFile = join(folder, 'machine.json');
  /** Ends what runs on the machine. */
  const endFile = join(folder, 'end');
  const waitForEnd = `until [ -e ${endFile} ]; do sleep 0.1; done`;
  let service: Service;
  let proxy: TcpProxy;
  let faults: FaultProxy;
  let ada: ForeignAccountDevice;
  let machine: MachineProcess;
  let token: string;

  beforeAll(async () => {
    await ensureServiceBuilt();
    service = await Service.start();
    proxy = await TcpProxy.start(Number(new URL(service.url).port));
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['sessions:write', 'machines:invoke']));
    const args = ['--on-message', `sh -c '${waitForEnd}; tr a-z A-Z'`];
    faults = await FaultProxy.start(`http://127.0.0.1:${proxy.port}`);
    machine = await MachineProcess.start(faults.url, ada, { keyFile, args });
  });
  afterAll(async () => {
    await machine?.stop();
    await faults?.stop();
    await proxy?.cutConnections();
    await service?.stop();
  });

  const readText = async (file = keyFile) => (await DeviceProgram.start(['status'], file).ended).out;
  const readJson = async () => JSON.parse((await DeviceProgram.start(['status', '--json'], keyFile).ended).out);
  const post = (path: string, body: object) => service.http.post(`/external/v1${path}`, token, body);

  it('says that a machine is connected, and which process it is', async () => {
    const status = {
      ...{ running: true, state: 'connected', reason: null, historyProblem: null, machineId: machine.id, keyFile },
      ...{
        outage: null,
        waitingMessages: 0,
        waitingReports: 0,
        waitingArtifacts: 0,
        setAside: 0,
        account: { username: ada.username },
      },
    };
    await waitFor(async () => expect(await readJson()).toMatchObject(status), WITHIN_MS);
    expect(await readText()).toMatch(/^State +connected, since 20\d\d-/);
  });

  it('says that something answers instead of the service, while its socket is connected', async () => {
    const before = Date.now();
    faults.lastingFault = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Portal</html>' };
    expectStatus(await post(`/machines/${machine.id}/invocations`, { command: 'true' }), 202);
    await waitFor(async () => {
      const status = await readJson();
      expect(status).toMatchObject({ state: 'connected', waitingReports: 1 });
      expect(status.outage.reason).toContain('answered instead of the service, with status 200 and text/html');
      expect(status.outage.since).toBeGreaterThanOrEqual(before);
    }, WITHIN_MS);
    expect(await readText()).toMatch(/^Network +no answer of the service since 20\d\d-.*\n +Something before http/m);
    faults.reset();
    await waitFor(async () => {
      expect(await readJson()).toMatchObject({ state: 'connected', outage: null, waitingReports: 0 });
    }, WITHIN_MS);
    expect(await readText()).not.toContain('Network');
  });

  it('says since when it waits, for what, and what waits with it', async () => {
    const before = Date.now();
    expectStatus(await post(`/machines/${machine.id}/invocations`, { command: 'sh', args: ['-c', waitForEnd] }), 202);
    const serving = machine.events.find((event) => event.event === 'serving')!;
    const message = post(`/sessions/${serving.sessionId}/messages`, { content: 'hello' });
    await waitFor(async () => {
      const { body } = await service.http.get(`/v1/sessions/${serving.sessionId}`, ada.token);
      expect(body.data.messageCount).toBe(1);
    });
    await proxy.cutConnections();
    await message;
    writeFileSync(endFile, '');
    await waitFor(async () => {
      const status = await readJson();
      expect(status).toMatchObject({ running: true, state: 'waiting', waitingMessages: 1, waitingReports: 1 });
      expect(status.reason).toMatch(/\w/);
      expect(status.historyProblem).toMatch(/\w/);
      expect(status.since).toBeGreaterThanOrEqual(before);
    }, WITHIN_MS);
    const { since } = await readJson();
    const text = await readText();
    expect(text).toMatch(/^State +waiting, since 20\d\d-.*\nReason +\w/);
    expect(text).toMatch(/^Messages +1 waiting\n +\w.*\nReports +1 waiting$/m);
    expect((await readJson()).since).toBe(since);
  });

  it('says that it is connected again, and that nothing waits', async () => {
    await proxy.restoreTraffic();
    await waitFor(async () => {
      const nothing = { reason: null, historyProblem: null, waitingMessages: 0, waitingReports: 0 };
      expect(await readJson()).toMatchObject({ state: 'connected', ...nothing });
    }, WITHIN_MS);
  });

  it('counts what the service has rejected, also of a machine that was killed', async () => {
    mkdirSync(`${keyFile}.rejected`);
    writeFileSync(join(`${keyFile}.rejected`, '000000000001-0123abcd.json'), '{}');
    await machine.stop('SIGKILL');
    expect(await readJson()).toMatchObject({ running: false, state: null, pid: null, setAside: 1 });
    const text = await readText();
    expect(text).toMatch(/^State +not running$/m);
    expect(text).toContain(`1 messages that the service rejected, in ${keyFile}.rejected`);
    expect(await readText(`${keyFile}.other`)).toMatch(/^Account +none\. Run: npm run device -- link --key-file /m);
  });
});
