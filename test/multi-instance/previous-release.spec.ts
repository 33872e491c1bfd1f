import { migrations } from '../../migrations';
import { removeFolders } from '../support/data-folder';
import { AccountDevice, ok } from '../support/device/foreign-device';
import { KeptSession } from '../support/device/kept-session';
import { SessionBody } from '../support/device/session-bodies';
import { eventually } from '../support/eventually';
import { BUILD } from '../support/service-process';
import { Receiver, verify } from '../support/webhooks/receiver';
import { ALL_READ, LOOPBACK } from '../support/webhooks/webhook-scene';
import { Cluster } from './support/cluster';
import type { Instance } from './support/instance';
import { expectNoLeaks } from './support/leaks';
import { describeWithPreviousRelease, previousBuild } from './support/previous-build';
import { Scene } from './support/scene';
import { statuses, Traffic } from './support/traffic';

const RELAY = 6;

/** Expand and contract (migrations/README.md): the first instance stays with the release before, the second is deployed. */
describeWithPreviousRelease('the previous release beside this one', () => {
  let cluster: Cluster;
  let receiver: Receiver;
  let early: { ada: AccountDevice; token: string };
  let old: Instance;
  let young: Instance;
  beforeAll(async () => {
    const env = { ...LOOPBACK, RATE_LIMIT_RELAY: String(RELAY) };
    cluster = await Cluster.start({ instances: 2, build: await previousBuild(), env });
    [old, young] = [cluster.instance(0), cluster.instance(1)];
    receiver = await Receiver.start();
    const ada = await AccountDevice.signUp(cluster.http);
    early = { ada, token: (await ada.createToken(['sessions:read'])).token };
  }, 120_000);
  afterEach(() => expectNoLeaks(cluster));
  afterAll(async () => {
    await receiver?.stop();
    await cluster?.stop();
    removeFolders();
  });

  const migrated = async () =>
    (await cluster.database.query<{ name: string }>('SELECT name FROM migrations ORDER BY id')).map(({ name }) => name);

  it('serves on while this one migrates under it and takes its place', async () => {
    const names = migrations.map(({ name }) => name);
    const before = await migrated();
    expect(before.length).toBeLessThan(names.length);
    expect(before).toEqual(names.slice(0, before.length));

    const traffic = new Traffic(() => cluster.http.get('/external/v1/sessions', early.token), 3);
    const writer = await KeptSession.open(early.ada);
    let n = 0;
    const writing = new Traffic(() => writer.post([writer.message(`local-${++n}`)]), 1);
    young.build = BUILD;
    expect(await young.restart()).toMatchObject({ code: 0 });
    await cluster.balancedOver();
    expect(statuses(await traffic.stop())).toEqual({ 200: expect.any(Number) });
    expect(statuses(await writing.stop())).toEqual({ 201: expect.any(Number) });
    expect(await migrated()).toEqual(names);
  });

  it('starts on a schema that is ahead of it', async () => {
    expect(await old.restart()).toMatchObject({ code: 0, stderr: '' });
    expect(ok(await old.http.get('/external/v1/me', early.token), 200).data.account.id).toBe(early.ada.accountId);
  });

  describe.each(['previous', 'present'] as const)('the %s one', (which) => {
    const here = () => (which === 'previous' ? old : young);
    const there = () => (which === 'previous' ? young : old);

    it('keeps accounts, tokens, sessions and messages that the other one reads', async () => {
      const ada = await AccountDevice.signUp(here().http);
      const { id, token } = await ada.createToken(['sessions:read']);
      const session = await KeptSession.open(ada, await ada.adopt('machine'));
      await session.append('a', 'b');
      for (const { http } of [here(), there()]) {
        expect(ok(await http.get('/external/v1/me', token), 200).data.token.id).toBe(id);
        const sessions = ok(await http.get('/external/v1/sessions', token), 200).data;
        expect(sessions.map((each: { id: string }) => each.id)).toEqual([session.id]);
        const path = `/external/v1/sessions/${session.id}/messages`;
        expect(ok(await http.get(path, token), 200).data).toHaveLength(2);
      }
      ok(await there().http.delete(`/v1/account/external-tokens/${id}`, ada.token), 204);
      await eventually(async () => {
        for (const { http } of [here(), there()]) ok(await http.get('/external/v1/me', token), 401);
      });
    });

    it('passes calls to a device on the other one, and answers them again under their key there', async () => {
      const scene = await Scene.start(cluster);
      const machine = await scene.machine(there());
      const keyed = { headers: { 'Idempotency-Key': `key-${which}` } };
      const first = ok(await scene.invoke(machine.id, {}, keyed, here().http), 200);
      const again = await scene.invoke(machine.id, {}, keyed, there().http);
      expect(ok(again, 200)).toEqual(first);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(scene.executions.total).toBe(1);
      const session = await scene.ada.openSession(machine.device);
      ok(await scene.message(session.id, 'hello', {}, here().http), 200);
      scene.close();
    });

    it('tells webhooks of what happens, whichever of the two sends it', async () => {
      const ada = await AccountDevice.signUp(here().http);
      const { token } = await ada.createToken(ALL_READ);
      const body = { url: `${receiver.url}/${which}`, events: ['session.created'] };
      const { signingSecret } = ok(await here().http.post('/external/v1/webhooks', token, body), 201);
      const had = receiver.received.length;
      const made = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          [here(), there()][n % 2]!.http.post('/v1/sessions', ada.token, new SessionBody(ada).create()),
        ),
      );
      const received = (await receiver.got(had + 20)).slice(had);
      for (const each of received) verify(signingSecret, each);
      const told = received.map(({ payload }) => payload.data.id as string);
      expect(told.sort()).toEqual(made.map((answer) => ok(answer, 201).data.id as string).sort());
    });
  });

  it('counts relayed calls in the same buckets', async () => {
    const scene = await Scene.start(cluster);
    const machine = await scene.machine(old);
    const found: number[] = [];
    for (let n = 0; n < RELAY + 2; n++) {
      found.push((await scene.invoke(machine.id, {}, {}, [old, young][n % 2]!.http)).status);
    }
    expect(found).toEqual([...Array<number>(RELAY).fill(200), 429, 429]);
    scene.close();
  });
});
