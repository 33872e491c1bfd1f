import { fetchAllIds } from '../support/list-pages';
import { waitFor } from '../support/wait-for';
import { Cluster } from './support/cluster';
import { ClusterFixture } from './support/cluster-fixture';
import { expectNoLeaks } from './support/leaks';
import { RoamingDevice } from './support/roaming-device';
import { insertSignedInDevices, type SignedInDevice } from './support/signed-in-devices';
import { countStatuses, TrafficGenerator } from './support/traffic-generator';

const MACHINES = 450;
const ACCOUNT_DEVICES = 50;
/** Machines that are called all the time. */
const CALLED_MACHINES = 4;
/** A window of gathered changes in ms. */
const WINDOW_MS = 250;
/** Level of errors in the log. */
const ERROR_LEVEL = 50;
/** 10 s on two idle cores. */
const RECONNECTED_WITHIN_MS = 90_000;

interface Change {
  type: string;
  id: string;
  more?: Change[];
}

describe('500 devices of one account, on two instances with two database connections each', () => {
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  let otherFixture: ClusterFixture;
  const roamingDevices: RoamingDevice[] = [];
  beforeAll(async () => {
    // All sockets come from one address.
    const env = { DATABASE_POOL_SIZE: '2', UNJOINED_SOCKETS_PER_ADDRESS: '1000' };
    cluster = await Cluster.start({ instances: 2, env });
    clusterFixture = await ClusterFixture.start(cluster);
    otherFixture = await ClusterFixture.start(cluster);
  }, 60_000);
  afterAll(async () => {
    closeAll();
    await cluster?.stop();
  });

  const closeAll = () => {
    for (const device of roamingDevices) device.close();
    clusterFixture?.close();
  };
  const insertDevices = (kind: 'account' | 'machine', count: number) =>
    insertSignedInDevices(cluster.testDatabase, clusterFixture.ada.accountId, kind, count);
  const connectAll = async (devices: SignedInDevice[], capabilities: string[]): Promise<RoamingDevice[]> => {
    const handler = clusterFixture.executionRecorder.createHandler();
    const connected = await Promise.all(
      devices.map((device) => RoamingDevice.connect(cluster.balancer.url, device, handler, capabilities)),
    );
    roamingDevices.push(...connected);
    return connected;
  };
  const listMachines = (state: string) =>
    fetchAllIds(cluster.http, clusterFixture.token, '/external/v1/machines', { state, limit: 100 });

  /** Waits until the list of machines shows exactly these as online. */
  const expectOnline = (machines: SignedInDevice[]) => {
    const expected = machines.map(({ machineId }) => machineId).sort();
    return waitFor(async () => expect((await listMachines('online')).sort()).toEqual(expected), 20_000);
  };

  it('reconnect at once while their machines are called and another account reads', async () => {
    const machines = await insertDevices('machine', MACHINES);
    const observer = await clusterFixture.connectDevice(
      await clusterFixture.ada.pairDevice('account'),
      cluster.getInstance(0),
      undefined,
      [],
    );
    const changes: Change[] = [];
    let frames = 0;
    observer.socket.on('change', ({ more = [], ...first }: Change) => {
      frames += 1;
      changes.push(first, ...more);
    });
    const [callable] = await Promise.all([
      connectAll(machines, ['machine.invoke']),
      connectAll(await insertDevices('account', ACCOUNT_DEVICES), []),
    ]);
    await expectOnline(machines);

    const called = machines.slice(0, CALLED_MACHINES);
    let n = 0;
    const calls = new TrafficGenerator(() => clusterFixture.invokeMachine(called[n++ % called.length]!.machineId), 2);
    const reads = new TrafficGenerator(() => cluster.http.get('/external/v1/sessions', otherFixture.token), 2);
    [frames, changes.length] = [0, 0];
    const lostAt = performance.now();
    for (const device of roamingDevices) device.loseConnection();
    // A machine can be called as soon as it has reconnected, although most others have not.
    const callReconnected = async ({ machineId }: SignedInDevice, i: number) => {
      await waitFor(() => expect(callable[i]!.connectionCount).toBe(2), RECONNECTED_WITHIN_MS);
      expect((await clusterFixture.invokeMachine(machineId)).status).toBe(200);
    };
    await Promise.all([
      ...called.map(callReconnected),
      waitFor(() => {
        expect(roamingDevices.filter((device) => device.connectionCount < 2 || !device.isConnected)).toEqual([]);
      }, RECONNECTED_WITHIN_MS),
    ]);
    await expectOnline(machines);
    expect(await listMachines('offline')).toEqual([]);

    // Devices learn the last state of each machine, by frames for each instance and window and not for each machine.
    await waitFor(() => {
      expect(frames).toBeGreaterThan(0);
      const states = new Map(changes.map(({ id, type }) => [id, type]));
      expect(machines.filter(({ machineId }) => states.get(machineId) === 'machine.offline')).toEqual([]);
    }, 20_000);
    expect(frames).toBeLessThanOrEqual(2 * (2 + (performance.now() - lostAt) / WINDOW_MS));
    expect(frames).toBeLessThan(MACHINES / 2);

    const settled = calls.calls.length;
    await calls.waitForCalls(20);
    const allCalls = await calls.stopCallers();
    expect(countStatuses(allCalls.slice(settled))).toEqual({ 200: allCalls.length - settled });
    // A call can find its machine offline (503), or lose it (502).
    const statuses = Object.keys(countStatuses(allCalls));
    expect(['200', '502', '503']).toEqual(expect.arrayContaining(statuses));
    const allReads = await reads.stopCallers();
    expect(countStatuses(allReads)).toEqual({ 200: allReads.length });
    expect(clusterFixture.executionRecorder.repeatedRequestIds).toEqual([]);
    for (const { log } of cluster.instances) expect(log.filter(({ level }) => level >= ERROR_LEVEL)).toEqual([]);

    closeAll();
    await expectOnline([]);
    await expectNoLeaks(cluster);
  }, 240_000);
});
