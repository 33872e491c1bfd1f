import { setTimeout as sleep } from 'node:timers/promises';
import { ConsoleVisitor } from '../support/console-visitor';
import { removeFolders } from '../support/data-folder';
import { DeviceSocket } from '../support/device/device-socket';
import { AccountDevice, ok } from '../support/device/foreign-device';
import { SessionBody } from '../support/device/session-bodies';
import { eventually } from '../support/eventually';
import { MachineProcess } from '../support/machine-process';
import { problem } from '../support/problems';
import { shiftedClock } from '../support/shifted-clock';
import { Receiver, verify } from '../support/webhooks/receiver';
import { ALL_READ, LOOPBACK } from '../support/webhooks/webhook-scene';
import { Cluster } from './support/cluster';
import type { Instance } from './support/instance';
import { expectNoLeaks } from './support/leaks';
import { Scene } from './support/scene';

const RELAY = 20;
/** Longer than a lease of presence, and than an instance may be silent before it counts as dead. */
const A_WHILE_MS = 12_000;
/** Revocations are looked for twice a second. */
const SOON_MS = 5_000;
const CONNECTED = 'still connected';

describe.each([5_000, -5_000])('two instances, the clock of one of them %d ms ahead', (shift) => {
  let cluster: Cluster;
  let off: Instance;
  let right: Instance;
  const machines: MachineProcess[] = [];
  beforeAll(async () => {
    const env = { ...LOOPBACK, RATE_LIMIT_RELAY: String(RELAY) };
    cluster = await Cluster.start({ instances: 2, env, clocks: [shift, 0] });
    [off, right] = [cluster.instance(0), cluster.instance(1)];
    const aheadMs = Number(off.log.at(-1)!.time) - Number(right.log.at(-1)!.time);
    expect(Math.abs(aheadMs - shift)).toBeLessThan(3_000);
  }, 120_000);
  afterEach(async () => {
    await Promise.all(machines.splice(0).map((machine) => machine.stop()));
    await expectNoLeaks(cluster);
  });
  afterAll(async () => {
    await cluster?.stop();
    removeFolders();
  });

  const bothWays = () => [
    { here: off, there: right },
    { here: right, there: off },
  ];

  it('pass calls to machines whose clocks are wrong too, which stay online and keep to deadlines', async () => {
    const scene = await Scene.start(cluster);
    for (const { here } of bothWays()) {
      machines.push(await MachineProcess.start(here.url, scene.ada, shiftedClock(-shift)));
    }
    const call = async (body: object) => {
      for (const { here } of bothWays()) {
        for (const { id } of machines) {
          const { result } = ok(await scene.invoke(id, body, {}, here.http), 200);
          expect(result).toMatchObject({ timedOut: false, stdout: 'here\n' });
        }
      }
    };
    await call({ command: 'echo', args: ['here'], timeoutMs: 3_000 });
    for (const [index, { id }] of machines.entries()) {
      const { http } = bothWays()[index]!.there;
      const slow = await scene.invoke(id, { command: 'sleep', args: ['8'], timeoutMs: 1_000 }, {}, http);
      expect(ok(slow, 200).result).toMatchObject({ timedOut: true });
      expect(ok(slow, 200).result.durationMs).toBeLessThan(4_000);
    }
    await sleep(A_WHILE_MS);
    for (const { http } of cluster.instances) {
      const { data } = ok(await http.get('/external/v1/machines', scene.token), 200);
      expect(data.map(({ state }: { state: string }) => state)).toEqual(['online', 'online']);
    }
    await call({ command: 'echo', args: ['here'] });
    for (const { events } of machines) {
      expect(events.filter(({ event }) => event === 'disconnected')).toEqual([]);
    }
  }, 120_000);

  it('count in the same windows', async () => {
    const scene = await Scene.start(cluster);
    const path = '/external/v1/machines/mch_00000000000000000000000000/invoke';
    const answers = [];
    for (let n = 0; n < RELAY + 2; n++) {
      answers.push(await cluster.instance(n % 2).http.post(path, scene.token, { command: 'x' }));
    }
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(RELAY).fill(404), 429, 429]);
    for (const { headers } of answers) {
      expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(30);
      expect(Number(headers.get('x-ratelimit-reset'))).toBeLessThanOrEqual(60);
    }
  });

  it('take what the other one has given, to the end of its time, give or take the difference', async () => {
    for (const { here, there } of bothWays()) {
      const ada = await AccountDevice.signUp(here.http);
      const { publicKey } = ada.keys;
      const proof = await ada.signedChallenge({ publicKey });
      const signedIn = await there.http.post('/v1/auth/sign-in', undefined, { publicKey, ...proof });
      ok(await here.http.get('/v1/devices', ok(signedIn, 200).data.token), 200);

      const { id, token } = await ada.createToken(['sessions:read'], { expiresInDays: 1 });
      for (const { http } of cluster.instances) ok(await http.get('/external/v1/me', token), 200);
      const expire = (inMs: number) =>
        cluster.database.query(
          `UPDATE external_tokens SET expires_at = now() + $2 * interval '1 millisecond' WHERE id = $1`,
          [id, inMs],
        );
      await expire(Math.abs(shift) + 60_000);
      await sleep(1_000);
      for (const { http } of cluster.instances) ok(await http.get('/external/v1/me', token), 200);
      await expire(-Math.abs(shift));
      await sleep(1_000);
      for (const { http } of cluster.instances) {
        const refusal = problem(await http.get('/external/v1/me', token), 401, 'invalid_token');
        expect(refusal.reason).toBe('expired');
      }
    }
  });

  it('end at once what the other one has revoked, and nothing else', async () => {
    for (const { here, there } of bothWays()) {
      const ada = await AccountDevice.signUp(here.http);
      const { id, token } = await ada.createToken(['sessions:read']);
      ok(await there.http.get('/external/v1/me', token), 200);
      ok(await here.http.delete(`/v1/account/external-tokens/${id}`, ada.token), 204);
      await eventually(async () => {
        problem(await there.http.get('/external/v1/me', token), 401, 'invalid_token');
      }, SOON_MS);

      const machine = await ada.adopt('machine');
      const socket = await DeviceSocket.connect(there.url, machine.token);
      ok(await here.http.delete(`/v1/devices/${machine.id}`, ada.token), 204);
      expect(await Promise.race([socket.disconnected, sleep(SOON_MS, CONNECTED)])).not.toBe(CONNECTED);
    }
  });

  it('sign out everywhere: what is older is closed, what is younger stays', async () => {
    for (const { here, there } of bothWays()) {
      const ada = await AccountDevice.signUp(here.http);
      const visitor = await ConsoleVisitor.signIn(there.url, ada);
      const csrf = await visitor.csrfToken();
      const older = await DeviceSocket.connect(there.url, ada.token);
      const { status } = await visitor.post('/console/devices/sign-out-everywhere', { csrf });
      expect(status).toBe(303);
      expect(await Promise.race([older.disconnected, sleep(SOON_MS, CONNECTED)])).not.toBe(CONNECTED);
      await ada.signIn();
      for (const { url } of cluster.instances) {
        const younger = await DeviceSocket.connect(url, ada.token);
        expect(await Promise.race([younger.disconnected, sleep(2_000, CONNECTED)])).toBe(CONNECTED);
        younger.close();
      }
    }
  }, 60_000);

  it('keep to one run under one key', async () => {
    for (const { here, there } of bothWays()) {
      const scene = await Scene.start(cluster);
      const work = () => sleep(2_000, { ok: true, result: {} });
      const machine = await scene.machine(there, work);
      const keyed = { headers: { 'Idempotency-Key': 'once' } };
      const first = scene.invoke(machine.id, {}, keyed, here.http);
      await eventually(() => expect(scene.executions.total).toBe(1));
      problem(await scene.invoke(machine.id, {}, keyed, there.http), 409, 'idempotency_in_progress');
      const answer = ok(await first, 200);
      expect(ok(await scene.invoke(machine.id, {}, keyed, there.http), 200)).toEqual(answer);
      expect(scene.executions.total).toBe(1);
      scene.close();
    }
  });

  it('deliver each event once, whoever makes it', async () => {
    const receiver = await Receiver.start();
    const ada = await AccountDevice.signUp(cluster.http);
    const { token } = await ada.createToken(ALL_READ);
    const hook = { url: receiver.url, events: ['session.created'] };
    const { signingSecret } = ok(await off.http.post('/external/v1/webhooks', token, hook), 201);
    const made: string[] = [];
    for (let n = 0; n < 40; n++) {
      const { http } = cluster.instance(n % 2);
      const answer = await http.post('/v1/sessions', ada.token, new SessionBody(ada).create());
      made.push(ok(answer, 201).data.id);
      await sleep(50);
    }
    await receiver.got(made.length, Math.abs(shift) + 10_000);
    await sleep(2_000);
    for (const each of receiver.received) verify(signingSecret, each);
    const told = receiver.received.map(({ payload }) => payload.data.id as string);
    expect(told.sort()).toEqual(made.sort());
    await receiver.stop();
  }, 60_000);
});
