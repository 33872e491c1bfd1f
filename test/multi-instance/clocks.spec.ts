import { setTimeout as sleep } from 'node:timers/promises';
import { ConsoleClient } from '../support/console-client';
import { DeviceSocket } from '../support/device/device-socket';
import { ForeignAccountDevice, expectStatus } from '../support/device/foreign-device';
import { SessionBodyBuilder } from '../support/device/session-body-builder';
import { waitFor } from '../support/wait-for';
import { MachineProcess } from '../support/machine-process';
import { expectProblem } from '../support/problems';
import { IS_FULL_RUN } from '../support/scale';
import { createShiftedClockEnvironment } from '../support/shifted-clock';
import { WebhookReceiver, verifySignature } from '../support/webhooks/webhook-receiver';
import { ALL_READ_SCOPES, LOOPBACK_WEBHOOKS_ENV } from '../support/webhooks/webhook-fixture';
import { Cluster } from './support/cluster';
import type { Instance } from './support/instance';
import { expectNoLeaks } from './support/leaks';
import { ClusterFixture } from './support/cluster-fixture';

const RELAY = 20;
/** Longer than a presence lease and than the time after which a silent instance counts as dead. */
const A_WHILE_MS = 12_000;
/** Instances check for revocations twice per second. */
const SOON_MS = 5_000;
const CONNECTED = 'still connected';

describe.each(IS_FULL_RUN ? [5_000, -5_000] : [5_000])(
  'two instances, the clock of one of them %d ms ahead',
  (shift) => {
    let cluster: Cluster;
    let off: Instance;
    let right: Instance;
    const machines: MachineProcess[] = [];
    beforeAll(async () => {
      const env = { ...LOOPBACK_WEBHOOKS_ENV, RATE_LIMIT_RELAY: String(RELAY) };
      cluster = await Cluster.start({ instances: 2, env, clocks: [shift, 0] });
      [off, right] = [cluster.getInstance(0), cluster.getInstance(1)];
      const aheadMs = Number(off.log.at(-1)!.time) - Number(right.log.at(-1)!.time);
      expect(Math.abs(aheadMs - shift)).toBeLessThan(3_000);
    }, 120_000);
    afterEach(async () => {
      await Promise.all(machines.splice(0).map((machine) => machine.stop()));
      await expectNoLeaks(cluster);
    });
    afterAll(() => cluster?.stop());

    const bothWays = () => [
      { here: off, there: right },
      { here: right, there: off },
    ];

    const inBothWays = (act: (way: ReturnType<typeof bothWays>[number]) => Promise<void>) =>
      Promise.all(bothWays().map(act));

    it('relay calls to machines with wrong clocks, which stay online and respect deadlines', async () => {
      const clusterFixture = await ClusterFixture.start(cluster);
      for (const { here } of bothWays()) {
        machines.push(
          await MachineProcess.start(here.url, clusterFixture.ada, { env: createShiftedClockEnvironment(-shift) }),
        );
      }
      const call = async (body: object) => {
        for (const { here } of bothWays()) {
          for (const { id } of machines) {
            const { result } = expectStatus(await clusterFixture.invokeMachine(id, body, {}, here.http), 200);
            expect(result).toMatchObject({ timedOut: false, stdout: 'here\n' });
          }
        }
      };
      await call({ command: 'echo', args: ['here'], timeoutMs: 3_000 });
      for (const [index, { id }] of machines.entries()) {
        const { http } = bothWays()[index]!.there;
        const slow = await clusterFixture.invokeMachine(
          id,
          { command: 'sleep', args: ['8'], timeoutMs: 1_000 },
          {},
          http,
        );
        expect(expectStatus(slow, 200).result).toMatchObject({ timedOut: true });
        expect(expectStatus(slow, 200).result.durationMs).toBeLessThan(4_000);
      }
      await sleep(A_WHILE_MS);
      for (const { http } of cluster.instances) {
        const { data } = expectStatus(await http.get('/external/v1/machines', clusterFixture.token), 200);
        expect(data.map(({ state }: { state: string }) => state)).toEqual(['online', 'online']);
      }
      await call({ command: 'echo', args: ['here'] });
      for (const { events } of machines) {
        expect(events.filter(({ event }) => event === 'disconnected')).toEqual([]);
      }
    }, 120_000);

    it('share rate limit windows', async () => {
      const clusterFixture = await ClusterFixture.start(cluster);
      const path = '/external/v1/machines/mch_00000000000000000000000000/invoke';
      const answers = [];
      for (let n = 0; n < RELAY + 2; n++) {
        answers.push(await cluster.getInstance(n % 2).http.post(path, clusterFixture.token, { command: 'x' }));
      }
      expect(answers.map(({ status }) => status)).toEqual([...Array<number>(RELAY).fill(404), 429, 429]);
      for (const { headers } of answers) {
        expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(30);
        expect(Number(headers.get('x-ratelimit-reset'))).toBeLessThanOrEqual(60);
      }
    });

    it('accept credentials of each other until their expiry, within the clock difference', async () => {
      await inBothWays(async ({ here, there }) => {
        const ada = await ForeignAccountDevice.signUp(here.http);
        const { publicKey } = ada.keys;
        const proof = await ada.signChallenge({ publicKey });
        const signedIn = await there.http.post('/v1/auth/sign-in', undefined, { publicKey, ...proof });
        expectStatus(await here.http.get('/v1/devices', expectStatus(signedIn, 200).data.token), 200);

        const { id, token } = await ada.createToken(['sessions:read'], { expiresInDays: 1 });
        for (const { http } of cluster.instances) expectStatus(await http.get('/external/v1/me', token), 200);
        const expire = (inMs: number) =>
          cluster.testDatabase.query(
            `UPDATE external_tokens SET expires_at = now() + $2 * interval '1 millisecond' WHERE id = $1`,
            [id, inMs],
          );
        await expire(Math.abs(shift) + 60_000);
        await sleep(1_000);
        for (const { http } of cluster.instances) expectStatus(await http.get('/external/v1/me', token), 200);
        await expire(-Math.abs(shift));
        await sleep(1_000);
        for (const { http } of cluster.instances) {
          const refusal = expectProblem(await http.get('/external/v1/me', token), 401, 'invalid_token');
          expect(refusal.reason).toBe('expired');
        }
      });
    });

    it('apply each other’s revocations at once', async () => {
      await inBothWays(async ({ here, there }) => {
        const ada = await ForeignAccountDevice.signUp(here.http);
        const { id, token } = await ada.createToken(['sessions:read']);
        expectStatus(await there.http.get('/external/v1/me', token), 200);
        expectStatus(await here.http.delete(`/v1/account/external-tokens/${id}`, ada.token), 204);
        await waitFor(async () => {
          expectProblem(await there.http.get('/external/v1/me', token), 401, 'invalid_token');
        }, SOON_MS);

        const machine = await ada.pairDevice('machine');
        const socket = await DeviceSocket.connect(there.url, machine.token);
        expectStatus(await here.http.delete(`/v1/devices/${machine.id}`, ada.token), 204);
        expect(await Promise.race([socket.disconnected, sleep(SOON_MS, CONNECTED)])).not.toBe(CONNECTED);
      });
    });

    it('sign out everywhere: older logins end and newer ones stay', async () => {
      await inBothWays(async ({ here, there }) => {
        const ada = await ForeignAccountDevice.signUp(here.http);
        const visitor = await ConsoleClient.signIn(there.url, ada);
        const csrf = await visitor.readCsrfToken();
        const older = await DeviceSocket.connect(there.url, ada.token);
        const { status } = await visitor.post('/console/devices/sign-out-everywhere', { csrf });
        expect(status).toBe(303);
        expect(await Promise.race([older.disconnected, sleep(SOON_MS, CONNECTED)])).not.toBe(CONNECTED);
        await ada.signIn();
        // One after the other, because the newest connection of a device replaces the others.
        for (const { url } of cluster.instances) {
          const younger = await DeviceSocket.connect(url, ada.token);
          expect(await Promise.race([younger.disconnected, sleep(2_000, CONNECTED)])).toBe(CONNECTED);
          younger.close();
        }
      });
    }, 60_000);

    it('run a call with a key once', async () => {
      await inBothWays(async ({ here, there }) => {
        const clusterFixture = await ClusterFixture.start(cluster);
        const work = () => sleep(2_000, { ok: true, result: {} });
        const machine = await clusterFixture.createMachine(there, work);
        const keyed = { headers: { 'Idempotency-Key': 'once' } };
        const first = clusterFixture.invokeMachine(machine.id, {}, keyed, here.http);
        await waitFor(() => expect(clusterFixture.executionRecorder.totalCount).toBe(1));
        expectProblem(
          await clusterFixture.invokeMachine(machine.id, {}, keyed, there.http),
          409,
          'idempotency_in_progress',
        );
        const answer = expectStatus(await first, 200);
        expect(expectStatus(await clusterFixture.invokeMachine(machine.id, {}, keyed, there.http), 200)).toEqual(
          answer,
        );
        expect(clusterFixture.executionRecorder.totalCount).toBe(1);
        clusterFixture.close();
      });
    });

    it('deliver each event once', async () => {
      const webhookReceiver = await WebhookReceiver.start();
      const ada = await ForeignAccountDevice.signUp(cluster.http);
      const { token } = await ada.createToken(ALL_READ_SCOPES);
      const hook = { url: webhookReceiver.url, events: ['session.created'] };
      const { signingSecret } = expectStatus(await off.http.post('/external/v1/webhooks', token, hook), 201);
      const made: string[] = [];
      for (let n = 0; n < 40; n++) {
        const { http } = cluster.getInstance(n % 2);
        const httpResponse = await http.post('/v1/sessions', ada.token, new SessionBodyBuilder(ada).buildCreateBody());
        made.push(expectStatus(httpResponse, 201).data.id);
        await sleep(50);
      }
      await webhookReceiver.waitForRequests(made.length, Math.abs(shift) + 10_000);
      await sleep(2_000);
      for (const each of webhookReceiver.received) verifySignature(signingSecret, each);
      const told = webhookReceiver.received.map(({ payload }) => payload.data.id as string);
      expect(told.sort()).toEqual(made.sort());
      await webhookReceiver.stop();
    }, 60_000);
  },
);
