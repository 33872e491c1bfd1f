import {
  createCurlClient,
  createJavaClient,
  nodeFetchClient,
  type ForeignClient,
} from '../support/clients/foreign-clients';
import { itWith } from '../support/dependencies';
import { echoRequest, NO_RESPONSE } from '../support/device/device-socket';
import { waitFor } from '../support/wait-for';
import { Cluster } from './support/cluster';
import { ClusterFixture } from './support/cluster-fixture';

const CURL_CLIENTS: [name: string, send: ForeignClient][] = [
  ['curl', createCurlClient()],
  ['curl --http2', createCurlClient('--http2')],
];
const JAVA_CLIENTS: typeof CURL_CLIENTS = [
  ["Java's HttpURLConnection", createJavaClient('HttpURLConnection')],
  ["Java's HttpClient", createJavaClient('HttpClient')],
];

/** HTTP clients repeat a request by themselves if a reused connection closes without a response. */
describe('a relayed call on a reused connection whose instance is killed', () => {
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  beforeAll(async () => {
    cluster = await Cluster.start({ instances: 2 });
    clusterFixture = await ClusterFixture.start(cluster);
  });
  beforeEach(async () => {
    await Promise.all(cluster.instances.filter(({ isRunning }) => !isRunning).map((each) => each.start()));
    await cluster.waitUntilBalanced();
  });
  afterAll(async () => {
    clusterFixture?.close();
    await cluster?.stop();
  });

  /** Waits until the next request reaches the instance with the device's socket, and the one after it the other one. */
  async function takeTurns(): Promise<void> {
    await waitFor(async () => {
      const { index } = await cluster.findNextInstance();
      if (index !== 1) throw new Error('The next request would reach the other instance.');
    });
  }

  async function runsOnce(send: ForeignClient): Promise<void> {
    let runs = 0;
    const machine = await clusterFixture.createMachine(cluster.getInstance(0), (call) =>
      runs++ === 0 ? NO_RESPONSE : echoRequest(call),
    );
    await takeTurns();
    const { url } = cluster.balancer;
    const answers = send(clusterFixture.token, [
      { method: 'GET', url: `${url}/external/v1/me` },
      { method: 'POST', url: `${url}/external/v1/machines/${machine.id}/invoke`, body: '{"command":"true"}' },
    ]);
    await waitFor(() => expect(runs).toBe(1), 20_000);
    const origin = cluster.getInstance(1);
    expect(await origin.sumMetric('relay_pending_calls')).toBe(1);
    await origin.killProcess();

    const [warm, call] = await answers;
    expect(warm!.status).toBe(200);
    expect([call!.status, runs]).toEqual([502, 1]);
    expect(JSON.parse(call!.body)).toMatchObject({ code: 'device_disconnected', outcome: 'unknown' });
  }

  it("runs once, and Node's fetch gets an answer", () => runsOnce(nodeFetchClient));
  itWith('curl').each(CURL_CLIENTS)('runs once, and %s gets an answer', (_, send) => runsOnce(send));
  itWith('java').each(JAVA_CLIENTS)('runs once, and %s gets an answer', (_, send) => runsOnce(send));
});
