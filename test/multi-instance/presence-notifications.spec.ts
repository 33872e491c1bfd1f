import { DeviceSocket } from '../support/device/device-socket';
import { waitFor } from '../support/wait-for';
import { Cluster } from './support/cluster';
import { ClusterFixture } from './support/cluster-fixture';
import { insertSignedInDevices, type SignedInDevice } from './support/signed-in-devices';

const ACCOUNT_DEVICES = 40;
const MACHINES = 160;
/** A window of gathered changes in ms. */
const WINDOW_MS = 250;

interface Change {
  type: string;
  id: string;
  more?: Change[];
}

describe('sync notifications of an account with 200 devices on two instances', () => {
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  const sockets: DeviceSocket[] = [];
  beforeAll(async () => {
    // All sockets come from one address.
    cluster = await Cluster.start({ instances: 2, env: { UNJOINED_SOCKETS_PER_ADDRESS: '1000' } });
    clusterFixture = await ClusterFixture.start(cluster);
  });
  afterAll(async () => {
    for (const socket of sockets) socket.close();
    await cluster?.stop();
  });

  const insertDevices = (kind: 'account' | 'machine', count: number) =>
    insertSignedInDevices(cluster.testDatabase, clusterFixture.ada.accountId, kind, count);
  const connectAll = async (devices: SignedInDevice[]): Promise<DeviceSocket[]> => {
    const connected = await Promise.all(
      devices.map(({ token }, n) => DeviceSocket.connect(cluster.getInstance(n % 2).url, token, [])),
    );
    sockets.push(...connected);
    return connected;
  };

  it('cost each socket a few frames, not one for each machine that comes or goes', async () => {
    const machines = await insertDevices('machine', MACHINES);
    const frames: Change[][] = [];
    for (const { socket } of await connectAll(await insertDevices('account', ACCOUNT_DEVICES))) {
      const received: Change[] = [];
      frames.push(received);
      socket.on('change', (change: Change) => received.push(change));
    }
    const expectAll = async (type: string) => {
      await waitFor(() => {
        for (const received of frames) {
          const changes = received.flatMap(({ more = [], ...first }) => [first, ...more]);
          expect(changes.map(({ id }) => id).sort()).toEqual(machines.map(({ machineId }) => machineId).sort());
          expect(new Set(changes.map((change) => change.type))).toEqual(new Set([type]));
        }
      }, 30_000);
      const counts = frames.map((received) => received.splice(0).length);
      return Math.max(...counts);
    };

    const beganAt = performance.now();
    const machineSockets = await connectAll(machines);
    const onlineFrames = await expectAll('machine.online');
    const closedAt = performance.now();
    // Each instance sends one frame at once, and then one for each window in which machines have connected.
    expect(onlineFrames).toBeLessThanOrEqual(2 * (2 + (closedAt - beganAt) / WINDOW_MS));
    expect(onlineFrames).toBeLessThan(MACHINES / 2);

    for (const socket of machineSockets) socket.close();
    const offlineFrames = await expectAll('machine.offline');
    expect(offlineFrames).toBeLessThanOrEqual(2 * (2 + (performance.now() - closedAt) / WINDOW_MS));
    expect(offlineFrames).toBeLessThan(MACHINES / 2);
  }, 90_000);
});
