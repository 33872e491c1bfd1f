import { setTimeout as sleep } from 'node:timers/promises';
import { migrations } from '../../migrations';
import { DeviceSocket } from '../support/device/device-socket';
import { ForeignAccountDevice, expectStatus, type ForeignDevice } from '../support/device/foreign-device';
import { DeviceSession } from '../support/device/device-session';
import { SessionBodyBuilder } from '../support/device/session-body-builder';
import { waitFor } from '../support/wait-for';
import { expectProblem } from '../support/problems';
import { BUILD_FOLDER } from '../support/ensure-service-built';
import { WebhookReceiver, verifySignature } from '../support/webhooks/webhook-receiver';
import { MACHINE_CAPABILITIES } from '../support/relay-test-client';
import { ALL_READ_SCOPES, LOOPBACK_WEBHOOKS_ENV } from '../support/webhooks/webhook-fixture';
import { Cluster } from './support/cluster';
import type { Instance } from './support/instance';
import { expectNoLeaks } from './support/leaks';
import { describeWithPreviousRelease, compilePreviousRelease } from './support/previous-build';
import { ClusterFixture } from './support/cluster-fixture';
import { countStatuses, TrafficGenerator } from './support/traffic-generator';

const RELAY = 6;

let build: string;
beforeAll(async () => {
  build = await compilePreviousRelease();
}, 120_000);

/** Expand and contract (migrations/README.md): instance 0 runs the previous release, instance 1 is deployed. */
describeWithPreviousRelease('the previous release beside this one', () => {
  let cluster: Cluster;
  let webhookReceiver: WebhookReceiver;
  let early: { ada: ForeignAccountDevice; token: string };
  let old: Instance;
  let young: Instance;
  beforeAll(async () => {
    // The previous release doesn't sign its messages.
    const env = { ...LOOPBACK_WEBHOOKS_ENV, RATE_LIMIT_RELAY: String(RELAY), RELAY_BUS_UNSIGNED: 'accept' };
    cluster = await Cluster.start({ instances: 2, build, env });
    [old, young] = [cluster.getInstance(0), cluster.getInstance(1)];
    webhookReceiver = await WebhookReceiver.start();
    const ada = await ForeignAccountDevice.signUp(cluster.http);
    early = { ada, token: (await ada.createToken(['sessions:read'])).token };
  }, 120_000);
  afterEach(() => expectNoLeaks(cluster));
  afterAll(async () => {
    await webhookReceiver?.stop();
    await cluster?.stop();
  });

  const readState = async ({ http }: Instance, device: ForeignDevice, ada: ForeignAccountDevice) => {
    const devices: { id: string; state: string }[] = expectStatus(await http.get('/v1/devices', ada.token), 200).data;
    return devices.find(({ id }) => id === device.id)?.state;
  };
  const waitForStates = (device: ForeignDevice, ada: ForeignAccountDevice, state: string) =>
    waitFor(async () => {
      for (const instance of [old, young]) expect(await readState(instance, device, ada)).toBe(state);
    }, 10_000);

  const migrated = async () =>
    (await cluster.testDatabase.query<{ name: string }>('SELECT name FROM migrations ORDER BY id')).map(
      ({ name }) => name,
    );

  it('keeps serving while this one migrates the schema and replaces it', async () => {
    const names = migrations.map(({ name }) => name);
    const before = await migrated();
    expect(before.length).toBeLessThan(names.length);
    expect(before).toEqual(names.slice(0, before.length));

    const connected = await early.ada.pairDevice('machine');
    const socket = await DeviceSocket.connect(old.url, connected.token, []);
    const trafficGenerator = new TrafficGenerator(() => cluster.http.get('/external/v1/sessions', early.token), 3);
    const writer = await DeviceSession.createSession(early.ada);
    let n = 0;
    const writing = new TrafficGenerator(() => writer.postMessages([writer.encryptMessage(`local-${++n}`)]), 1);
    young.build = BUILD_FOLDER;
    expect(await young.restartProcess()).toMatchObject({ code: 0 });
    await cluster.waitUntilBalanced();
    expect(countStatuses(await trafficGenerator.stopCallers())).toEqual({ 200: expect.any(Number) });
    expect(countStatuses(await writing.stopCallers())).toEqual({ 201: expect.any(Number) });
    expect(await migrated()).toEqual(names);
    await waitForStates(connected, early.ada, 'online');
    socket.close();
    await waitForStates(connected, early.ada, 'offline');
  });

  it('starts on a newer schema, and shows presence that has changed without it', async () => {
    const { ada } = early;
    const [leaving, coming] = [await ada.pairDevice('machine'), await ada.pairDevice('machine')];
    const leavingSocket = await DeviceSocket.connect(young.url, leaving.token, []);
    await waitForStates(leaving, ada, 'online');
    expect(await old.stopGracefully()).toMatchObject({ code: 0, stderr: '' });
    // The other instance notices with its next heartbeat.
    await sleep(3_000);
    leavingSocket.close();
    const comingSocket = await DeviceSocket.connect(young.url, coming.token, []);
    await waitFor(async () => expect(await readState(young, coming, ada)).toBe('online'));
    const readColumn = 'SELECT online FROM devices WHERE id = $1';
    expect(await cluster.testDatabase.query(readColumn, [coming.id])).toEqual([{ online: false }]);
    await old.start();
    await waitForStates(leaving, ada, 'offline');
    await waitForStates(coming, ada, 'online');
    comingSocket.close();
    await waitForStates(coming, ada, 'offline');
    expect(expectStatus(await old.http.get('/external/v1/me', early.token), 200).data.account.id).toBe(
      early.ada.accountId,
    );
  });

  it('keeps this one from creating tokens with a limit to machines, which it would ignore', async () => {
    const { ada } = early;
    const machine = await ada.pairDevice('machine');
    const body = { name: 'box', platform: 'linux' };
    const { id } = expectStatus(await young.http.post('/v1/machines', machine.token, body), 201).data;
    const token = { name: 'ci', scopes: ['machines:invoke'], machineIds: [id] };
    const create = ({ http }: Instance) => http.post('/v1/account/external-tokens', ada.token, token);
    expectProblem(await create(young), 503, 'service_unavailable');
    expectProblem(await create(old), 400, 'invalid_request');
    expect(await old.stopGracefully()).toMatchObject({ code: 0, stderr: '' });
    await waitFor(async () => expectStatus(await create(young), 201), 10_000);
    await old.start();
    await waitFor(async () => expectProblem(await create(young), 503, 'service_unavailable'), 10_000);
  });

  describe.each(['previous', 'present'] as const)('the %s one', (which) => {
    const here = () => (which === 'previous' ? old : young);
    const there = () => (which === 'previous' ? young : old);

    it('shares accounts, tokens, sessions and messages with this one', async () => {
      const ada = await ForeignAccountDevice.signUp(here().http);
      const { id, token } = await ada.createToken(['sessions:read']);
      const session = await DeviceSession.createSession(ada, await ada.pairDevice('machine'));
      await session.appendMessages('a', 'b');
      for (const { http } of [here(), there()]) {
        expect(expectStatus(await http.get('/external/v1/me', token), 200).data.token.id).toBe(id);
        const sessions = expectStatus(await http.get('/external/v1/sessions', token), 200).data;
        expect(sessions.map((each: { id: string }) => each.id)).toEqual([session.id]);
        const path = `/external/v1/sessions/${session.id}/messages`;
        expect(expectStatus(await http.get(path, token), 200).data).toHaveLength(2);
      }
      expectStatus(await there().http.delete(`/v1/account/external-tokens/${id}`, ada.token), 204);
      await waitFor(async () => {
        for (const { http } of [here(), there()]) expectStatus(await http.get('/external/v1/me', token), 401);
      });
    });

    it('deletes accounts, whose credentials end and whose username is free on the other one', async () => {
      const ada = await ForeignAccountDevice.signUp(here().http);
      const { token } = await ada.createToken(['sessions:read']);
      await ada.createSession(ada);
      expectStatus(await here().http.delete('/v1/account', ada.token), 204);
      await waitFor(async () => {
        expectStatus(await there().http.get('/external/v1/me', token), 401);
        expectStatus(await there().http.get('/v1/account', ada.token), 401);
      });
      await ForeignAccountDevice.signUp(there().http, ada.username);
      const left = () => cluster.testDatabase.query('SELECT 1 FROM sessions WHERE account_id = $1', [ada.accountId]);
      await waitFor(async () => expect(await left()).toEqual([]), 20_000);
    });

    it('shows on both whether a device is connected to it, also after the device has moved', async () => {
      const clusterFixture = await ClusterFixture.start(cluster);
      const { ada } = clusterFixture;
      const machine = await clusterFixture.createMachine(here());
      await waitForStates(machine.device, ada, 'online');
      await clusterFixture.connectDevice(machine.device, there());
      await machine.socket.disconnected;
      // The first connection may end before the second one is recorded.
      await waitFor(async () => {
        for (const { http } of [old, young]) {
          const { data } = expectStatus(
            await http.get(`/external/v1/machines/${machine.id}`, clusterFixture.token),
            200,
          );
          expect(data).toMatchObject({ state: 'online', capabilities: MACHINE_CAPABILITIES });
        }
      }, 10_000);
      await waitForStates(machine.device, ada, 'online');
      clusterFixture.close();
      await waitForStates(machine.device, ada, 'offline');
    });

    it('publishes a change of state once, whichever instance runs the machine', async () => {
      const clusterFixture = await ClusterFixture.start(cluster);
      const { token } = await clusterFixture.ada.createToken(ALL_READ_SCOPES);
      const body = { url: `${webhookReceiver.url}/state-${which}`, events: ['machine.online', 'machine.offline'] };
      expectStatus(await here().http.post('/external/v1/webhooks', token, body), 201);
      const had = webhookReceiver.received.length;
      const machine = await clusterFixture.createMachine(here());
      await webhookReceiver.waitForRequests(had + 1, 15_000);
      machine.socket.close();
      await webhookReceiver.waitForRequests(had + 2, 15_000);
      // The other release would publish a change that it takes for its own within a second.
      await sleep(3_000);
      const types = webhookReceiver.received.slice(had).map(({ payload }) => payload.type as string);
      expect(types).toEqual(['machine.online', 'machine.offline']);
      clusterFixture.close();
    });

    it('relays calls to a device on the other one, which replays them by their key', async () => {
      const clusterFixture = await ClusterFixture.start(cluster);
      const machine = await clusterFixture.createMachine(there());
      const keyed = { headers: { 'Idempotency-Key': `key-${which}` } };
      const first = expectStatus(await clusterFixture.invokeMachine(machine.id, {}, keyed, here().http), 200);
      const again = await clusterFixture.invokeMachine(machine.id, {}, keyed, there().http);
      expect(expectStatus(again, 200)).toEqual(first);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(clusterFixture.executionRecorder.totalCount).toBe(1);
      const session = await clusterFixture.ada.createSession(machine.device);
      expectStatus(await clusterFixture.sendMessage(session.id, 'hello', {}, here().http), 200);
      clusterFixture.close();
    });

    it('delivers events to webhooks from either release', async () => {
      const ada = await ForeignAccountDevice.signUp(here().http);
      const { token } = await ada.createToken(ALL_READ_SCOPES);
      const body = { url: `${webhookReceiver.url}/${which}`, events: ['session.created'] };
      const { signingSecret } = expectStatus(await here().http.post('/external/v1/webhooks', token, body), 201);
      const had = webhookReceiver.received.length;
      const made = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          [here(), there()][n % 2]!.http.post('/v1/sessions', ada.token, new SessionBodyBuilder(ada).buildCreateBody()),
        ),
      );
      const received = (await webhookReceiver.waitForRequests(had + 20)).slice(had);
      for (const each of received) verifySignature(signingSecret, each);
      const told = received.map(({ payload }) => payload.data.id as string);
      expect(told.sort()).toEqual(made.map((answer) => expectStatus(answer, 201).data.id as string).sort());
    });
  });

  it('counts relayed calls in the same buckets', async () => {
    const clusterFixture = await ClusterFixture.start(cluster);
    const machine = await clusterFixture.createMachine(old);
    const found: number[] = [];
    for (let n = 0; n < RELAY + 2; n++) {
      found.push((await clusterFixture.invokeMachine(machine.id, {}, {}, [old, young][n % 2]!.http)).status);
    }
    expect(found).toEqual([...Array<number>(RELAY).fill(200), 429, 429]);
    clusterFixture.close();
  });
});

describeWithPreviousRelease('the previous release beside this one, which requires signatures', () => {
  let cluster: Cluster;
  let old: Instance;
  let young: Instance;
  beforeAll(async () => {
    cluster = await Cluster.start({ instances: 2, build });
    [old, young] = [cluster.getInstance(0), cluster.getInstance(1)];
    young.build = BUILD_FOLDER;
    await young.restartProcess();
  }, 120_000);
  afterEach(() => expectNoLeaks(cluster));
  afterAll(() => cluster?.stop());

  it.each(['previous', 'present'] as const)('learns at once that a call to the %s one did not run', async (which) => {
    const [holder, caller] = which === 'previous' ? [old, young] : [young, old];
    const clusterFixture = await ClusterFixture.start(cluster);
    const machine = await clusterFixture.createMachine(holder);
    const begunAt = performance.now();
    const refused = expectProblem(
      await clusterFixture.invokeMachine(machine.id, {}, {}, caller.http),
      503,
      'relay_unavailable',
    );
    expect(refused.outcome).toBe('not_delivered');
    expect(performance.now() - begunAt).toBeLessThan(1_500);
    expect(clusterFixture.executionRecorder.totalCount).toBe(0);
    expectStatus(await clusterFixture.invokeMachine(machine.id, {}, {}, holder.http), 200);
    clusterFixture.close();
  });
});
