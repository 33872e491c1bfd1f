import { runAdminProgram, runAdminJson } from '../../support/admin-cli';
import { createMigratedDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';
import { ServiceProcess } from '../../support/service-process';
import { WebhookReceiver, verifySignature } from '../../support/webhooks/webhook-receiver';
import { LOOPBACK_WEBHOOKS_ENV, Subscriber, type CreatedWebhook } from '../../support/webhooks/webhook-fixture';

const OLD = 'the application secret of yesterday';
const NEW = 'the application secret of tomorrow!';
const HEADER_VALUE = 'of the receiver';

/** Follows docs/runbooks/secret-rotation.md for APP_SECRET. */
describeWithPostgres('a rotated APP_SECRET', () => {
  let testDatabase: TestDatabase;
  let webhookReceiver: WebhookReceiver;
  let service: ServiceProcess;
  let ada: Subscriber;
  let webhook: CreatedWebhook;

  const env = (...secrets: string[]) => ({
    ...testDatabase.env,
    ...LOOPBACK_WEBHOOKS_ENV,
    APP_SECRET: secrets.join(),
  });
  const restart = async (...secrets: string[]) => {
    await service?.stop();
    // The same port, so that clients stay connected.
    service = await ServiceProcess.start(env(...secrets), { port: service?.port });
  };
  /** Sends a test event and verifies its signature with the receiver's secret. */
  const delivers = async () => {
    const before = webhookReceiver.received.length;
    await ada.postAction(webhook.id, 'test');
    const receivedRequest = (await webhookReceiver.waitForRequests(before + 1)).at(-1)!;
    expect(() => verifySignature(webhook.secret, receivedRequest)).not.toThrow();
    expect(receivedRequest.headers['x-api-key']).toBe(HEADER_VALUE);
  };

  beforeAll(async () => {
    testDatabase = await createMigratedDatabase();
    webhookReceiver = await WebhookReceiver.start();
    await restart(OLD);
    ada = await Subscriber.signUp(service.http);
    webhook = await ada.createWebhook(webhookReceiver.url, ['*'], { headers: { 'X-Api-Key': HEADER_VALUE } });
  });
  afterAll(async () => {
    await service?.stop('SIGKILL');
    await webhookReceiver?.stop();
    await testDatabase?.dropDatabase();
  });

  it('keeps signing secrets valid after their re-encryption', async () => {
    await restart(NEW, OLD);
    await delivers();
    expect(await runAdminJson(env(NEW, OLD), 'reseal', '--reason=a leak')).toEqual({ resealed: 1, lost: [] });
    await delivers();
    expect(await runAdminJson(env(NEW, OLD), 'reseal')).toEqual({ resealed: 0, lost: [] });
    await restart(NEW);
    await delivers();
    const acts = await testDatabase.query(
      `SELECT account_id, actor_kind, reason FROM audit_events
        WHERE act = 'signing_secrets.reencrypted' ORDER BY created_at`,
    );
    const act = { account_id: null, actor_kind: 'operator' };
    expect(acts).toEqual([
      { ...act, reason: 'a leak' },
      { ...act, reason: null },
    ]);
  });

  it('reports a signing secret that no key decrypts', async () => {
    const { code, stdout, stderr } = await runAdminProgram(env(OLD), 'reseal');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({ resealed: 0, lost: [webhook.id] });
    expect(stderr).toContain('Add the missing one or rotate them');
    await delivers();
  });
});
