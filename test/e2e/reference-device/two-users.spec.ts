import { hostname } from 'node:os';
import { join } from 'node:path';
import { DeviceProgram } from '../../support/device-program';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { ensureServiceBuilt } from '../../support/ensure-service-built';
import { MachineProcess } from '../../support/machine-process';
import { Service } from '../../support/service';
import { createTempFolder } from '../../support/temp-folder';
import { waitFor } from '../../support/wait-for';

const WITHIN_MS = 30_000;

describe('two users of one computer', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;
  let homes: string[];
  const machines: MachineProcess[] = [];

  beforeAll(async () => {
    await ensureServiceBuilt();
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['machines:read', 'machines:invoke']));
    homes = [createTempFolder(), createTempFolder()];
    for (const home of homes) machines.push(await startMachine(home));
  });
  afterAll(async () => {
    for (const machine of machines) await machine.stop();
    await service?.stop();
  });

  const startMachine = (home: string) => MachineProcess.start(service.url, ada, { keyFile: null, env: { HOME: home } });
  const readStates = async () => {
    const { data } = expectStatus(await service.http.get('/external/v1/machines', token), 200);
    return new Map((data as { id: string; state: string }[]).map(({ id, state }) => [id, state]));
  };

  it('have a machine of the same name each, both online', async () => {
    const ids = machines.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    // A machine may serve its first call before its state says so.
    await waitFor(async () => {
      const { data } = expectStatus(await service.http.get('/external/v1/machines', token), 200);
      expect(data).toHaveLength(2);
      for (const id of ids)
        expect(data).toContainEqual(expect.objectContaining({ id, name: hostname(), state: 'online' }));
    }, WITHIN_MS);
  });

  it('have a key file each, and the commands of callers run in the home of their user', async () => {
    for (const [n, HOME] of homes.entries()) {
      const keyFile = join(HOME, '.config', 'external-api-device', 'machine.json');
      const machineId = machines[n]!.id;
      await waitFor(async () => {
        const { out } = await DeviceProgram.start(['status', '--json'], undefined, { HOME }).ended;
        expect(JSON.parse(out)).toMatchObject({ running: true, state: 'connected', machineId, keyFile });
      }, WITHIN_MS);
      const body = { command: 'sh', args: ['-c', 'echo $HOME'] };
      const answer = await service.http.post(`/external/v1/machines/${machineId}/invoke`, token, body);
      expect(expectStatus(answer, 200).result.stdout).toBe(`${HOME}\n`);
    }
  });

  it('stop and continue their own machine only', async () => {
    const [first, second] = machines as [MachineProcess, MachineProcess];
    const { id } = first;
    await first.stop();
    await waitFor(async () => expect((await readStates()).get(id)).toBe('offline'), WITHIN_MS);
    expect((await readStates()).get(second.id)).toBe('online');
    machines[0] = await startMachine(homes[0]!);
    expect(machines[0].id).toBe(id);
    await waitFor(async () =>
      expect(await readStates()).toEqual(
        new Map([
          [id, 'online'],
          [second.id, 'online'],
        ]),
      ),
    );
  });
});
