import type { DeviceSocket } from '../../support/device/device-socket';
import { expectStatus } from '../../support/device/foreign-device';
import { scaled } from '../../support/scale';
import { waitFor } from '../../support/wait-for';
import { Cluster } from '../support/cluster';
import { expectNoLeaks } from '../support/leaks';
import { ClusterFixture } from '../support/cluster-fixture';
import { TrafficGenerator } from '../support/traffic-generator';

/** Reconnects of each of four machines. */
const RECONNECTS = scaled(250);

describe('the connections of a device over several instances', () => {
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  beforeAll(async () => {
    cluster = await Cluster.start();
    clusterFixture = await ClusterFixture.start(cluster);
  });
  afterEach(async () => {
    clusterFixture.close();
    await expectNoLeaks(cluster);
    expect(clusterFixture.executionRecorder.repeatedRequestIds).toEqual([]);
  });
  afterAll(() => cluster?.stop());

  const via = (index: number) => cluster.getInstance(index).http;

  it('are replaced by the newest one on all instances, and the older one is closed', async () => {
    const machine = await clusterFixture.createMachine(cluster.getInstance(0));
    for (const index of [1, 2, 0, 1]) {
      const before = machine.socket;
      machine.socket = await clusterFixture.connectDevice(machine.device, cluster.getInstance(index));
      for (const caller of [0, 1, 2]) {
        const httpResponse = await clusterFixture.invokeMachine(machine.id, {}, {}, via(caller));
        expect(httpResponse.body.result?.requestId).toBe(httpResponse.body.requestId);
      }
      expect(machine.socket.requests).toHaveLength(3);
      await before.disconnected;
    }
  });

  it('let a superseded one finish its calls on its instance', async () => {
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const machine = await clusterFixture.createMachine(cluster.getInstance(0), () =>
      released.then(() => ({ ok: true, result: { by: 'older' } })),
    );
    const first = clusterFixture.invokeMachine(machine.id, {}, {}, via(2));
    await waitFor(() => expect(machine.socket.requests).toHaveLength(1));
    await clusterFixture.connectDevice(machine.device, cluster.getInstance(1), () => ({
      ok: true,
      result: { by: 'newer' },
    }));
    for (const caller of [0, 1, 2]) {
      const { body } = await clusterFixture.invokeMachine(machine.id, {}, {}, via(caller));
      expect(body.result).toEqual({ by: 'newer' });
    }
    release();
    expect((await first).body.result).toEqual({ by: 'older' });
    await machine.socket.disconnected;
  });

  it('route a message to the account device that connected last, on any instance', async () => {
    const host = await clusterFixture.ada.pairDevice('machine');
    const session = await clusterFixture.ada.createSession(host);
    const phones = [await clusterFixture.ada.pairDevice('account'), await clusterFixture.ada.pairDevice('account')];
    for (const [index, phone] of [phones[0]!, phones[1]!, phones[0]!].entries()) {
      const work = () => ({ ok: true, result: { from: phone.id } });
      await clusterFixture.connectDevice(phone, cluster.getInstance(index), work, ['session.message']);
      for (const caller of [0, 1, 2]) {
        const httpResponse = await clusterFixture.sendMessage(session.id, 'hello', {}, via(caller));
        expect(httpResponse.body.result).toEqual({ from: phone.id });
      }
    }
  });

  it('show the newest one’s capabilities, even if the machine registers on another instance', async () => {
    const device = await clusterFixture.ada.pairDevice('machine');
    await clusterFixture.connectDevice(device, cluster.getInstance(0), undefined, ['machine.invoke']);
    const body = { name: 'late', platform: 'linux' };
    const { data } = expectStatus(await via(1).post('/v1/machines', device.token, body), 201);
    const record = async () =>
      expectStatus(await via(2).get(`/external/v1/machines/${data.id}`, clusterFixture.token), 200).data;
    await waitFor(async () => {
      expect(await record()).toMatchObject({ state: 'online', capabilities: ['machine.invoke'] });
    });
    const newer = await clusterFixture.connectDevice(device, cluster.getInstance(2), undefined, ['session.message']);
    await waitFor(async () => {
      expect(await record()).toMatchObject({ state: 'online', capabilities: ['session.message'] });
    });
    newer.close();
    await waitFor(async () => expect((await record()).state).toBe('offline'));
  });

  it('receive sync notifications of another instance', async () => {
    const phone = await clusterFixture.ada.pairDevice('account');
    const socket = await clusterFixture.connectDevice(phone, cluster.getInstance(0), undefined, ['session.message']);
    const changes: { type: string; id: string }[] = [];
    // Machines of other tests may still go offline.
    const record = (change: { type: string; id: string }) => {
      if (change.type.startsWith('session.')) changes.push(change);
    };
    socket.socket.on('change', record);
    const own = await clusterFixture.connectDevice(clusterFixture.ada, cluster.getInstance(1), undefined, [
      'session.message',
    ]);
    own.socket.on('change', record);
    const session = await clusterFixture.ada.createSession(clusterFixture.ada);
    await waitFor(() => expect(changes).toMatchObject([{ type: 'session.created', id: session.id }]));
  });

  it.each([
    ['to the next instance', 1],
    ['to the same instance', 0],
  ])(
    'cause no false 503 during quick reconnects %s',
    async (_description, step) => {
      const machines = await Promise.all(
        [0, 1, 2, 0].map((index) => clusterFixture.createMachine(cluster.getInstance(index))),
      );
      let next = 0;
      const trafficGenerator = new TrafficGenerator(() => {
        next += 1;
        return clusterFixture.invokeMachine(machines[next % machines.length]!.id, {}, {}, via(next % 3));
      }, 6);
      const sockets: DeviceSocket[] = [];
      await Promise.all(
        machines.map(async ({ device }, offset) => {
          // A fast machine reconnects so often before it has made as many calls.
          for (let n = 0; n < RECONNECTS || next < 2 * RECONNECTS; n++) {
            sockets.push(await clusterFixture.connectDevice(device, cluster.getInstance((n * step + offset) % 3)));
          }
        }),
      );
      const calls = await trafficGenerator.stopCallers();
      expect(calls.filter(({ answer }) => answer?.status !== 200)).toEqual([]);
      expect(calls.length).toBeGreaterThan(RECONNECTS);
      await waitFor(() => {
        expect(sockets.filter(({ socket }) => socket.connected)).toHaveLength(machines.length);
      });
    },
    180_000,
  );
});
