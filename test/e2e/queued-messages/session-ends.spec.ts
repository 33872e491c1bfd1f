import { DAY, HOUR, MINUTE } from '../../../src/common/clock';
import { AccountAdminService } from '../../../src/modules/accounts';
import { queryDatabase } from '../../support/database';
import { NO_RESPONSE } from '../../support/device/device-socket';
import { expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import { createGate } from '../../support/gate';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { QueuedSession } from '../../support/queued-session';
import { RelayFixture } from '../../support/relay-fixture';
import { waitFor } from '../../support/wait-for';
import { LOOPBACK_WEBHOOKS_ENV } from '../../support/webhooks/webhook-fixture';
import { verifySignature, WebhookReceiver } from '../../support/webhooks/webhook-receiver';

describe('a queued message', () => {
  let fixture: RelayFixture;
  let device: ForeignDevice;
  let session: QueuedSession;

  beforeAll(async () => {
    fixture = await RelayFixture.start(LOOPBACK_WEBHOOKS_ENV);
  });
  beforeEach(async () => {
    device = await fixture.ada.pairDevice('machine');
    session = new QueuedSession(fixture.http, fixture.token, (await fixture.ada.createSession(device)).id);
  });
  afterAll(() => fixture?.stop());

  const changeSession = async (state: 'active' | 'ended') => {
    const options = { token: device.token, json: { state } };
    expectStatus(await fixture.http.request('PATCH', `/v1/sessions/${session.id}`, options), 200);
  };
  /** Resolves when the message has waited for its device once. */
  const waitForAttempt = (id: string) =>
    waitFor(async () => expect(await session.getMessage(id)).toMatchObject({ state: 'queued', attempts: 1 }), 15_000);

  it('is cancelled when its session ends, also for good', async () => {
    const waiting = await session.queueMessage('hello');
    const later = await session.queueMessage('later', { notBefore: fixture.service.now + HOUR });
    await changeSession('ended');
    expect(await session.getMessage(later)).toMatchObject({ state: 'cancelled' });
    // An attempt that looks for a device at this moment is `sending` until it has found none.
    expect((await session.getMessage(waiting)).state).toMatch(/^(sending|cancelled)$/);
    await changeSession('active');
    await session.waitForState(waiting, 'cancelled');
    const socket = await fixture.connectDevice(device);
    await session.waitForState(await session.queueMessage('new'), 'delivered');
    expect(socket.requests.map(({ params }) => params.content)).toEqual(['new']);
  });

  it.each([
    ['ends', ['ended']],
    ['ends and is resumed', ['ended', 'active']],
  ] as const)('is cancelled instead of repeated if its session %s while the device refuses it', async (_, states) => {
    const socket = await fixture.connectDevice(device);
    const refuse = createGate(2);
    socket.setHandler(() => refuse().then(() => ({ ok: false, error: { code: 'busy', message: 'No.' } })));
    const id = await session.queueMessage('hello');
    await waitFor(() => expect(socket.requests).toHaveLength(1), 15_000);
    for (const state of states) await changeSession(state);
    expect(await session.getMessage(id)).toMatchObject({ state: 'sending' });
    void refuse();
    expect(await session.waitForState(id, 'cancelled')).toMatchObject({ attempts: 1 });
    expect(socket.requests).toHaveLength(1);
  });

  it('announces its end to webhooks, before the deletion of its session', async () => {
    const receiver = await WebhookReceiver.start();
    const { token } = await fixture.ada.createToken(['webhooks:manage', 'sessions:read']);
    const events = ['queued_message.ended', 'session.deleted'];
    const webhook = expectStatus(
      await fixture.http.post('/external/v1/webhooks', token, { url: receiver.url, events }),
      201,
    );
    try {
      const text = 'a text that no webhook receives';
      const later = { notBefore: fixture.service.now + HOUR };
      const cancelled = await session.queueMessage(text, later);
      expectStatus(await session.cancelMessage(cancelled), 204);
      const record = await session.getMessage(cancelled);
      const deleted = await session.queueMessage(text, later);
      const socket = await fixture.connectDevice(device);
      socket.setHandler(() => NO_RESPONSE);
      const sending = await session.queueMessage(text);
      await waitFor(() => expect(socket.requests).toHaveLength(1), 15_000);
      expectStatus(await fixture.http.delete(`/v1/sessions/${session.id}`, device.token), 204);
      const received = await receiver.waitForRequests(4, 15_000);
      const payloads = received.map((request): any => verifySignature(webhook.signingSecret, request));
      const getEnd = (id: string) => payloads.find(({ data }) => data.id === id);
      expect(getEnd(cancelled)).toMatchObject({ type: 'queued_message.ended', data: record });
      expect(getEnd(deleted)).toMatchObject({
        type: 'queued_message.ended',
        data: { state: 'cancelled', version: 2, sessionId: session.id },
      });
      expect(getEnd(deleted).data.endedAt).not.toBeNull();
      expect(getEnd(sending).data).toMatchObject({ state: 'unknown', attempts: 1 });
      expect(payloads.map(({ type }) => type)).toContain('session.deleted');
      for (const { body } of receiver.received) expect(body).not.toContain(text);
    } finally {
      expectStatus(await fixture.http.delete(`/external/v1/webhooks/${webhook.data.id}`, token), 204);
      await receiver.stop();
    }
  });

  it('is cancelled instead of delivered if its token is revoked', async () => {
    const { id: tokenId, token } = await fixture.ada.createToken(['sessions:read', 'sessions:write']);
    const revoked = await session.via({ token }).queueMessage('of a revoked token');
    const kept = await session.queueMessage('of another token');
    await waitForAttempt(revoked);
    expectStatus(await fixture.http.delete(`/v1/account/external-tokens/${tokenId}`, fixture.ada.token), 204);
    const socket = await fixture.connectDevice(device);
    await session.waitForState(revoked, 'cancelled');
    await session.waitForState(kept, 'delivered');
    expect(socket.requests.map(({ params }) => params.content)).toEqual(['of another token']);
  });

  it('is cancelled instead of delivered if its token has expired', async () => {
    const { token } = await fixture.ada.createToken(['sessions:read', 'sessions:write'], { expiresInDays: 1 });
    const id = await session.via({ token }).queueMessage('hello', { notBefore: fixture.service.now + DAY + HOUR });
    fixture.service.advanceClock(DAY + HOUR);
    const socket = await fixture.connectDevice(device);
    await session.waitForState(id, 'cancelled');
    expect(socket.requests).toEqual([]);
  });

  it('is cancelled if the account device that queued it is revoked', async () => {
    const phone = await fixture.ada.pairDevice('account');
    const id = await new QueuedSession(fixture.http, phone.token, session.id, '/v1/control').queueMessage('hello');
    await waitForAttempt(id);
    expectStatus(await fixture.http.delete(`/v1/devices/${phone.id}`, fixture.ada.token), 204);
    const socket = await fixture.connectDevice(device);
    await session.waitForState(id, 'cancelled');
    expect(socket.requests).toEqual([]);
  });

  it('of an app outlives its access token, but not its authorization', async () => {
    const app = await ThirdPartyApp.register(fixture.ada);
    const scope = { scope: 'sessions:read sessions:write' };
    const { access_token: token } = await app.obtainTokens(fixture.service, fixture.ada, scope);
    const later = { notBefore: fixture.service.now + 2 * HOUR };
    const first = await session.via({ token }).queueMessage('first', later);
    const second = await session.via({ token }).queueMessage('second', { notBefore: later.notBefore + HOUR });
    const socket = await fixture.connectDevice(device);
    fixture.service.advanceClock(2 * HOUR);
    await session.waitForState(first, 'delivered');
    expect(socket.requests).toEqual([expect.objectContaining({ caller: 'app' })]);
    const authorization = `/v1/account/authorized-apps/${app.clientId}`;
    expectStatus(await fixture.http.delete(authorization, fixture.ada.token), 204);
    fixture.service.advanceClock(HOUR);
    await session.waitForState(second, 'cancelled');
    expect(socket.requests).toHaveLength(1);
  });

  it.each<[string, (app: ThirdPartyApp) => Promise<unknown>]>([
    [
      'is disabled',
      async ({ clientId }) =>
        expectStatus(await fixture.http.post(`/v1/developer/apps/${clientId}/disable`, fixture.ada.token, {}), 200),
    ],
    [
      'has lost the scope',
      ({ clientId }) =>
        queryDatabase(fixture.service, `UPDATE app_authorizations SET scopes = '{sessions:read}' WHERE app_id = $1`, [
          clientId,
        ]),
    ],
  ])('of an app that %s is cancelled', async (_, take) => {
    const app = await ThirdPartyApp.register(fixture.ada);
    const scope = { scope: 'sessions:read sessions:write' };
    const { access_token: token } = await app.obtainTokens(fixture.service, fixture.ada, scope);
    const id = await session.via({ token }).queueMessage('hello');
    await waitForAttempt(id);
    await take(app);
    const socket = await fixture.connectDevice(device);
    await session.waitForState(id, 'cancelled');
    expect(socket.requests).toEqual([]);
  });

  it('waits while its account is suspended', async () => {
    const admin = fixture.service.app.get(AccountAdminService, { strict: false });
    const id = await session.queueMessage('hello', { notBefore: fixture.service.now + HOUR });
    await admin.suspendAccount(fixture.ada.accountId);
    fixture.service.advanceClock(HOUR);
    await waitFor(async () => {
      const [row] = await queryDatabase<{ attempts: number; isPostponed: boolean }>(
        fixture.service,
        `SELECT attempts, due_at > not_before AS "isPostponed" FROM queued_messages WHERE id = $1`,
        [id],
      );
      expect(row).toEqual({ attempts: 0, isPostponed: true });
    }, 15_000);
    await admin.resumeAccount(fixture.ada.accountId);
    const socket = await waitFor(() => fixture.connectDevice(device), 15_000);
    fixture.service.advanceClock(15 * MINUTE);
    await session.waitForState(id, 'delivered');
    expect(socket.requests).toHaveLength(1);
  });
});
