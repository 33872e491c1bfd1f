import { randomUUID } from 'node:crypto';
import { runAdminJson } from '../support/admin-cli';
import { GrantedSession } from '../support/content/granted-session';
import { expectStatus } from '../support/device/foreign-device';
import { createForeignKeyPair } from '../support/device/keys';
import { TEST_GRANT_KEYS } from '../support/grant-keys';
import type { HttpResponse } from '../support/http-client';
import { waitFor } from '../support/wait-for';
import { LOOPBACK_WEBHOOKS_ENV, Subscriber, type CreatedWebhook } from '../support/webhooks/webhook-fixture';
import { verifySignature, WebhookReceiver } from '../support/webhooks/webhook-receiver';
import { Cluster } from './support/cluster';
import { ClusterFixture } from './support/cluster-fixture';
import { TrafficGenerator } from './support/traffic-generator';

const [OLD, NEW] = ['the application secret of yesterday', 'the application secret of tomorrow!'];
const [OLD_GRANT_KEY] = JSON.parse(TEST_GRANT_KEYS);
const NEW_GRANT_KEY = { ...createForeignKeyPair('X25519').privateKey.export({ format: 'jwk' }), kid: 'grant-2' };

/** Settings with these secrets, the first of which encrypts and signs. */
const buildSecretsEnv = (appSecrets: string[], grantKeys: object[]) => ({
  APP_SECRET: appSecrets.join(),
  GRANT_KEYS: JSON.stringify(grantKeys),
});

/** Follows docs/runbooks/secret-rotation.md with both secrets at once. */
describe('both secrets, rotated on two instances one after the other under load', () => {
  let cluster: Cluster;
  let clusterFixture: ClusterFixture;
  let webhookReceiver: WebhookReceiver;
  let subscriber: Subscriber;
  let webhook: CreatedWebhook;
  let reader: string;

  beforeAll(async () => {
    const secrets = buildSecretsEnv([OLD], [OLD_GRANT_KEY]);
    // The load balancer checks each second.
    const env = { ...LOOPBACK_WEBHOOKS_ENV, ...secrets, SHUTDOWN_NOTICE_SECONDS: '3' };
    cluster = await Cluster.start({ instances: 2, env });
    clusterFixture = await ClusterFixture.start(cluster);
    webhookReceiver = await WebhookReceiver.start();
    subscriber = await Subscriber.signUp(cluster.http);
    webhook = await subscriber.createWebhook(webhookReceiver.url, ['session.created']);
    reader = (await clusterFixture.ada.createToken(['sessions:read', 'sessions:content'])).token;
  }, 120_000);
  afterAll(async () => {
    clusterFixture?.close();
    await webhookReceiver?.stop();
    await cluster?.stop();
  });

  /** Restarts both instances. Neither may have rejected a message of the other until then. */
  async function restartInstances(env: NodeJS.ProcessEnv): Promise<void> {
    for (const instance of cluster.instances) {
      for (const each of cluster.instances) {
        expect(await each.sumMetric('relay_rejected_messages_total', { reason: 'forged' })).toBe(0);
      }
      expect(await instance.restartProcess(env)).toMatchObject({ code: 0, stderr: '' });
      await cluster.waitUntilBalanced();
    }
  }

  /** Calls twice with one key: the second response is the stored one, perhaps of the other instance. */
  async function repeatCall(machineId: string): Promise<HttpResponse> {
    const options = { headers: { 'Idempotency-Key': randomUUID() } };
    const call = () => clusterFixture.invokeMachine(machineId, {}, options);
    const { requestId } = expectStatus(await call(), 200);
    const second = await call();
    expect(expectStatus(second, 200).requestId).toBe(requestId);
    return second;
  }

  /** Reads two pages: the cursor of the first may come from the other instance. */
  async function listSessions(): Promise<HttpResponse> {
    const path = '/external/v1/sessions?limit=1';
    const { nextCursor } = expectStatus(await cluster.http.get(path, reader), 200);
    return cluster.http.get(`${path}&cursor=${nextCursor}`, reader);
  }

  it('fails no call, loses no webhook, and breaks no signature, cursor or grant', async () => {
    const { ada } = clusterFixture;
    const machines = await Promise.all([0, 1].map(() => clusterFixture.createRoamingMachine()));
    let granted = await GrantedSession.createSession(ada);
    const messages = new Map([[granted, await granted.appendMessage('a text')]]);
    await ada.createSession(ada);
    expectStatus(await granted.grantToService(), 201);
    const created: string[] = [];
    const traffic = [
      ...machines.map(
        ({ id }) =>
          () =>
            repeatCall(id),
      ),
      ...machines.map(
        ({ id }) =>
          () =>
            clusterFixture.invokeMachine(id),
      ),
      listSessions,
      () => granted.readMessage(messages.get(granted)!, reader),
      async () => {
        const session = await subscriber.triggerEvent();
        created.push(session.id);
        return cluster.http.get(`/external/v1/sessions/${session.id}`, subscriber.token);
      },
    ].map((call) => new TrafficGenerator(call, 1));
    const cursor = await cluster.http.get('/external/v1/sessions?limit=1', reader);

    await restartInstances(buildSecretsEnv([OLD, NEW], [OLD_GRANT_KEY, NEW_GRANT_KEY]));
    await restartInstances(buildSecretsEnv([NEW, OLD], [NEW_GRANT_KEY, OLD_GRANT_KEY]));
    const env = { ...cluster.testDatabase.env, ...buildSecretsEnv([NEW, OLD], [NEW_GRANT_KEY, OLD_GRANT_KEY]) };
    expect(await runAdminJson(env, 'reseal')).toEqual({ resealed: 1, lost: [] });
    const path = `/external/v1/sessions?limit=1&cursor=${cursor.body.nextCursor}`;
    expectStatus(await cluster.http.get(path, reader), 200);
    // Sealed to the new key, unlike the grant before.
    const next = await GrantedSession.createSession(ada);
    messages.set(next, await next.appendMessage('a text'));
    expectStatus(await next.grantToService(), 201);
    granted = next;
    await restartInstances(buildSecretsEnv([NEW], [NEW_GRANT_KEY]));

    const calls = (await Promise.all(traffic.map((each) => each.stopCallers()))).flat();
    const failures = calls.flatMap(({ answer, error }) => {
      if (error) return [error.message];
      return answer?.status === 200 ? [] : [answer?.body];
    });
    // The load balancer logs how it lost a request, and which instances it knew then.
    if (failures.length > 0) failures.push(...cluster.balancer.log.split('\n'));
    expect(failures).toEqual([]);
    for (const each of traffic) expect(each.calls.length).toBeGreaterThan(20);
    expect(clusterFixture.executionRecorder.repeatedRequestIds).toEqual([]);
    for (const { device } of machines) expect(device.connectionCount).toBeGreaterThan(3);
    await waitFor(() => {
      const delivered = webhookReceiver.received.map(({ payload }) => payload.data.id);
      expect(created.filter((id) => !delivered.includes(id))).toEqual([]);
    }, 20_000);
    for (const request of webhookReceiver.received) {
      expect(() => verifySignature(webhook.secret, request)).not.toThrow();
    }
    expect((await cluster.http.get(path, reader)).body.code).toBe('invalid_cursor');
  }, 300_000);
});
