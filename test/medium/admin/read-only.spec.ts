import { setTimeout as sleep } from 'node:timers/promises';
import { runAdminProgram, runAdminJson } from '../../support/admin-cli';
import { createBackend, type Backend } from '../../support/backend';
import { ConsoleClient } from '../../support/console-client';
import { queryDatabase } from '../../support/database';
import { DeviceSocket } from '../../support/device/device-socket';
import { expectStatus } from '../../support/device/foreign-device';
import { EventStreamClient } from '../../support/event-stream-client';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { describeWithServices } from '../../support/postgres';
import { Service } from '../../support/service';
import { ServiceProcess } from '../../support/service-process';
import { waitFor } from '../../support/wait-for';
import { LOOPBACK_WEBHOOKS_ENV, Subscriber } from '../../support/webhooks/webhook-fixture';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver';

const WITHIN_MS = 5_000;

describeWithServices('read-only mode on running instances', () => {
  let backend: Backend;
  let service: Service;
  let other: ServiceProcess;
  let webhookReceiver: WebhookReceiver;
  let ada: Subscriber;

  beforeAll(async () => {
    backend = await createBackend('services');
    service = await Service.start(LOOPBACK_WEBHOOKS_ENV, backend);
    other = await ServiceProcess.start({ ...LOOPBACK_WEBHOOKS_ENV, ...backend.env });
    webhookReceiver = await WebhookReceiver.start();
    ada = await Subscriber.signUp(service.http, [
      'webhooks:manage',
      'sessions:read',
      'machines:read',
      'machines:invoke',
    ]);
  });
  afterAll(async () => {
    await other?.stop('SIGKILL');
    await webhookReceiver?.stop();
    await service?.stop();
  });

  const run = (...args: string[]) => runAdminJson(backend.env, 'read-only', ...args);
  const switchOff = async () => {
    await run('off');
    await waitForStatus(200);
  };
  /** Changes something, as often as needed. */
  const renameDevice = (http = other.http) => {
    const { id, token } = ada.device;
    return http.request('PATCH', `/v1/devices/${id}`, { token, json: { name: 'renamed' } });
  };
  const waitForStatus = async (status: number) => {
    for (const { http } of [service, other])
      await waitFor(async () => expect((await renameDevice(http)).status).toBe(status), WITHIN_MS);
  };

  it('refuses writes on all instances within seconds, while reads, streams and sockets go on', async () => {
    const machine = await ada.device.pairDevice('machine');
    const socket = await DeviceSocket.connect(other.http.url, machine.token, []);
    const { data: registered } = expectStatus(
      await service.http.post('/v1/machines', machine.token, { name: 'box', platform: 'linux' }),
      201,
    );
    const stream = await EventStreamClient.open(`${other.http.url}/external/v1/events`, ada.token);
    const app = await ThirdPartyApp.register(ada.device);
    const tokens = await app.obtainTokens(service, ada.device);
    const visitor = await ConsoleClient.signIn(service.http.url, ada.device);
    expect(await run('status')).toEqual({ readOnly: false, since: null });
    const started = await run('on', '--reason=move to another cluster');
    expect(started).toEqual({ readOnly: true, since: expect.any(Number) });
    await waitForStatus(503);
    const refused = await renameDevice();
    expect(refused.headers.get('retry-after')).toBe('30');
    expect(refused.body).toMatchObject({ code: 'read_only', status: 503, outcome: 'not_delivered' });
    // Before the body is checked, which is not valid.
    const invoked = await other.http.post(`/external/v1/machines/${registered.id}/invoke`, ada.token, {});
    expect([invoked.status, invoked.body.code]).toEqual([503, 'read_only']);
    for (const path of [
      `machines/${registered.id}/agent-sessions`,
      `machines/${registered.id}/invocations/inv_unknown/output`,
      'sessions/ses_unknown/options',
    ]) {
      const { status, body } = await other.http.get(`/external/v1/${path}`, ada.token);
      expect([path, status, body.code]).toEqual([path, 503, 'read_only']);
    }
    const { publicKey } = ada.device.keys;
    const proof = await ada.device.signChallenge({ publicKey });
    const signIn = await other.http.post('/v1/auth/sign-in', undefined, { publicKey, ...proof });
    expect([signIn.status, signIn.body.code]).toEqual([503, 'read_only']);
    expect((await other.http.get('/v1/account/export', ada.device.token)).body.code).toBe('read_only');
    const refusedExport = await visitor.get('/console/account/export');
    expect(refusedExport.status).toBe(503);
    expect(refusedExport.html).toContain('The service is read-only during maintenance. Try again later.');
    expect((await visitor.get('/console/account')).status).toBe(200);
    expect((await app.requestAuthorization()).status).toBe(503);
    const refreshed = await app.refreshTokens(tokens.refresh_token);
    expect([refreshed.status, refreshed.body.error]).toEqual([503, 'temporarily_unavailable']);
    expect(expectStatus(await app.postToEndpoint('introspect', { token: tokens.access_token }), 200).active).toBe(true);
    expectStatus(await other.http.get('/external/v1/sessions', ada.token), 200);
    expectStatus(await other.http.get('/health/ready'), 200);
    expect([stream.hasEnded, socket.socket.connected]).toEqual([false, true]);
    expect((await renameDevice(other.http)).status).toBe(503);
    expect(await run('on')).toEqual(started);
    const late = await ServiceProcess.start({ ...LOOPBACK_WEBHOOKS_ENV, ...backend.env });
    try {
      expect((await renameDevice(late.http)).status).toBe(503);
    } finally {
      await late.stop('SIGKILL');
    }
    await switchOff();
    expect(await run('status')).toEqual({ readOnly: false, since: null });
    expectStatus(await app.refreshTokens(tokens.refresh_token), 200);
    const acts = await queryDatabase(
      service,
      `SELECT act, actor_kind, account_id, reason FROM audit_events WHERE target_kind = 'service' ORDER BY id`,
    );
    const act = { actor_kind: 'operator', account_id: null };
    expect(acts).toEqual([
      { act: 'read_only.started', ...act, reason: 'move to another cluster' },
      { act: 'read_only.ended', ...act, reason: null },
    ]);
    await stream.close();
  });

  it('keeps webhook deliveries waiting, and sends them afterwards', async () => {
    const webhook = await ada.createWebhook(webhookReceiver.url, ['session.created']);
    await ada.triggerEvent();
    await webhookReceiver.waitForRequests(1);
    expectStatus(await ada.postAction(webhook.id, 'pause'), 200);
    await ada.triggerEvent();
    await waitFor(async () => expect(await ada.listDeliveries(webhook.id, '&state=pending')).toHaveLength(1));
    await run('on');
    await waitForStatus(503);
    await queryDatabase(service, `UPDATE webhooks SET state = 'active' WHERE id = $1`, [webhook.id]);
    await queryDatabase(
      service,
      `UPDATE webhook_endpoint_queues SET version = version + 1, due_at =
         (SELECT min(next_attempt_at) FROM webhook_deliveries WHERE webhook_id = $1 AND state = 'pending')
        WHERE webhook_id = $1`,
      [webhook.id],
    );
    await sleep(2_000);
    expect(webhookReceiver.received).toHaveLength(1);
    await switchOff();
    await webhookReceiver.waitForRequests(2);
  });

  it.each([[['maybe']], [[]], [['on', 'off']]])('refuses the arguments %j', async (args) => {
    const { code, stdout } = await runAdminProgram(backend.env, 'read-only', ...args);
    expect([code, stdout]).toEqual([2, '']);
  });
});
