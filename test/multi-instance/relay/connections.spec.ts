import { setTimeout as sleep } from 'node:timers/promises';
import type { DeviceSocket } from '../../support/device/device-socket';
import { ok } from '../../support/device/foreign-device';
import { eventually } from '../../support/eventually';
import { Cluster } from '../support/cluster';
import { expectNoLeaks } from '../support/leaks';
import { Scene } from '../support/scene';
import { statuses, Traffic } from '../support/traffic';

describe('the connections of a device over several instances', () => {
  let cluster: Cluster;
  let scene: Scene;
  beforeAll(async () => {
    cluster = await Cluster.start();
    scene = await Scene.start(cluster);
  });
  afterEach(async () => {
    scene.close();
    await expectNoLeaks(cluster);
    expect(scene.executions.repeated).toEqual([]);
  });
  afterAll(() => cluster?.stop());

  const via = (index: number) => cluster.instance(index).http;

  it('are one: the newest wins wherever it is called from, and the older one is closed', async () => {
    const machine = await scene.machine(cluster.instance(0));
    for (const index of [1, 2, 0, 1]) {
      const before = machine.socket;
      machine.socket = await scene.connect(machine.device, cluster.instance(index));
      for (const caller of [0, 1, 2]) {
        const answer = await scene.invoke(machine.id, {}, {}, via(caller));
        expect(answer.body.result?.requestId).toBe(answer.body.requestId);
      }
      expect(machine.socket.requests).toHaveLength(3);
      await before.disconnected;
    }
  });

  it('let the superseded one finish what it does on its own instance', async () => {
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const machine = await scene.machine(cluster.instance(0), () =>
      released.then(() => ({ ok: true, result: { by: 'older' } })),
    );
    const first = scene.invoke(machine.id, {}, {}, via(2));
    await eventually(() => expect(machine.socket.requests).toHaveLength(1));
    await scene.connect(machine.device, cluster.instance(1), () => ({ ok: true, result: { by: 'newer' } }));
    for (const caller of [0, 1, 2]) {
      const { body } = await scene.invoke(machine.id, {}, {}, via(caller));
      expect(body.result).toEqual({ by: 'newer' });
    }
    release();
    expect((await first).body.result).toEqual({ by: 'older' });
    await machine.socket.disconnected;
  });

  it('give a message to the account device that connected last, on any instance', async () => {
    const host = await scene.ada.adopt('machine');
    const session = await scene.ada.openSession(host);
    const phones = [await scene.ada.adopt('account'), await scene.ada.adopt('account')];
    for (const [index, phone] of [phones[0]!, phones[1]!, phones[0]!].entries()) {
      const work = () => ({ ok: true, result: { from: phone.id } });
      await scene.connect(phone, cluster.instance(index), work, ['session.message']);
      for (const caller of [0, 1, 2]) {
        const answer = await scene.message(session.id, 'hello', {}, via(caller));
        expect(answer.body.result).toEqual({ from: phone.id });
      }
    }
  });

  it('read as online with the newest one’s capabilities, also for a machine that registers elsewhere', async () => {
    const device = await scene.ada.adopt('machine');
    await scene.connect(device, cluster.instance(0), undefined, ['machine.invoke']);
    const body = { name: 'late', platform: 'linux' };
    const { data } = ok(await via(1).post('/v1/machines', device.token, body), 201);
    const record = async () => ok(await via(2).get(`/external/v1/machines/${data.id}`, scene.token), 200).data;
    await eventually(async () => {
      expect(await record()).toMatchObject({ state: 'online', capabilities: ['machine.invoke'] });
    });
    const newer = await scene.connect(device, cluster.instance(2), undefined, ['session.message']);
    await eventually(async () => {
      expect(await record()).toMatchObject({ state: 'online', capabilities: ['session.message'] });
    });
    newer.close();
    await eventually(async () => expect((await record()).state).toBe('offline'));
  });

  it('hear of changes that were made on another instance', async () => {
    const phone = await scene.ada.adopt('account');
    const socket = await scene.connect(phone, cluster.instance(0), undefined, ['session.message']);
    const changes: { type: string; id: string }[] = [];
    socket.socket.on('change', (change: { type: string; id: string }) => changes.push(change));
    const own = await scene.connect(scene.ada, cluster.instance(1), undefined, ['session.message']);
    own.socket.on('change', () => changes.push({ type: 'to the one that made it', id: '' }));
    const session = await scene.ada.openSession(scene.ada);
    await eventually(() => expect(changes).toMatchObject([{ type: 'session.created', id: session.id }]));
  });

  it('make no false 503 over 1,000 quick reconnects under calls', async () => {
    const machines = await Promise.all([0, 1, 2, 0].map((index) => scene.machine(cluster.instance(index))));
    let next = 0;
    const traffic = new Traffic(async () => {
      await sleep(5);
      next += 1;
      return scene.invoke(machines[next % machines.length]!.id, {}, {}, via(next % 3));
    }, 6);
    const sockets: DeviceSocket[] = [];
    await Promise.all(
      machines.map(async ({ device }, offset) => {
        for (let n = 0; n < 250; n++) {
          sockets.push(await scene.connect(device, cluster.instance((n + offset) % 3)));
        }
      }),
    );
    const calls = await traffic.stop();
    expect(Object.keys(statuses(calls))).toEqual(['200']);
    expect(calls.length).toBeGreaterThan(200);
    await eventually(() => {
      expect(sockets.filter(({ socket }) => socket.connected)).toHaveLength(machines.length);
    });
  });
});
