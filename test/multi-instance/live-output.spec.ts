import { expectStatus } from '../support/device/foreign-device';
import { EventStreamClient } from '../support/event-stream-client';
import { buildInvocationReport, INVOCATION_CAPABILITIES } from '../support/invocation-fixture';
import { waitFor } from '../support/wait-for';
import { Cluster } from './support/cluster';
import { ClusterFixture, type ClusterMachine } from './support/cluster-fixture';

const startCommand = () => ({ ok: true, result: buildInvocationReport('running', 1) });

/** The device connects to instance 0. Streams are on instances 1 and 2. */
describe('live output on several instances', () => {
  let cluster: Cluster;
  let fixture: ClusterFixture;
  let machine: ClusterMachine;
  let invocation: { id: string; requestId: string };
  let clients: EventStreamClient[];

  beforeAll(async () => {
    cluster = await Cluster.start({ redis: 'proxied' });
  });
  beforeEach(async () => {
    fixture = await ClusterFixture.start(cluster);
    clients = [];
    machine = await fixture.createMachine(cluster.getInstance(0), startCommand, INVOCATION_CAPABILITIES);
    const path = `/external/v1/machines/${machine.id}/invocations`;
    invocation = expectStatus(await fixture.http.post(path, fixture.token, { command: 'make' }), 202).data;
  });
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    fixture.close();
  });
  afterAll(() => cluster?.stop());

  const open = async (index: number) => {
    const path = `/external/v1/machines/${machine.id}/invocations/${invocation.id}/events`;
    const client = await EventStreamClient.open(cluster.getInstance(index).url + path, fixture.token);
    clients.push(client);
    return client;
  };
  const waitForWatch = () =>
    waitFor(() => expect(machine.socket.watches).toMatchObject([{ invocationId: invocation.id }]), 20_000);
  const sendOutput = (offset: number) =>
    machine.socket.socket.emit('output', { invocationId: invocation.id, stream: 'stdout', offset, data: 'aGk=' });
  /** Sends output until the streams get it: their instances may not have asked the device yet. */
  const waitForOutput = async (streams: EventStreamClient[], offset: number) =>
    waitFor(() => {
      sendOutput(offset);
      for (const stream of streams) expect(stream.events.map(({ data }) => data.offset)).toContain(offset);
    }, 20_000);

  it('reaches the streams of all instances', async () => {
    const streams = [await open(1), await open(2)];
    await waitForWatch();
    await waitForOutput(streams, 0);
    const path = `/v1/machines/${machine.id}/invocations/${invocation.requestId}`;
    const json = buildInvocationReport('completed', 2);
    expectStatus(await fixture.http.request('PUT', path, { token: machine.device.token, json }), 200);
    await Promise.all(streams.map((stream) => stream.ended));
    for (const { events } of streams) expect(events.at(-1)).toMatchObject({ type: 'invocation.ended' });
  });

  it('goes on when the device connects to another instance', async () => {
    const stream = await open(1);
    await waitForWatch();
    await waitForOutput([stream], 0);
    machine.socket.close();
    // The new owner knows nothing of the stream: the device is asked without a renewal of the lease.
    const target = cluster.getInstance(2);
    machine.socket = await fixture.connectDevice(machine.device, target, startCommand, INVOCATION_CAPABILITIES);
    await waitForWatch();
    await waitForOutput([stream], 2);
  });

  it('goes on after Redis was away', async () => {
    const stream = await open(1);
    await waitForWatch();
    cluster.getInstance(0).redisLink!.blockTraffic();
    sendOutput(0);
    await cluster.getInstance(0).redisLink!.restoreTraffic();
    await waitForOutput([stream], 2);
    expect(machine.socket.socket.connected).toBe(true);
  });

  it('is asked of the device no longer when the watching instance is killed', async () => {
    await open(1);
    await waitForWatch();
    const [{ until }] = machine.socket.watches as [{ until: number }];
    await cluster.getInstance(1).killProcess();
    try {
      await waitFor(() => expect(Date.now()).toBeGreaterThan(until), 60_000);
      for (const watch of machine.socket.watches) expect(watch.until).toBeLessThan(until + 15_000);
      await waitFor(async () => expect(await cluster.getInstance(0).sumMetric('relay_watched_topics')).toBe(0), 60_000);
    } finally {
      await cluster.getInstance(1).start();
    }
  }, 150_000);
});
