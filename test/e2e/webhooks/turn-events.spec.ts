import { SECOND } from '../../../src/common/clock';
import { AskingSession, QUESTION } from '../../support/content/asking-session';
import { expectStatus } from '../../support/device/foreign-device';
import { buildTurnReport, type ReportedState } from '../../support/turns/turn-reports';
import { Subscriber, WebhookFixture, type CreatedWebhook } from '../../support/webhooks/webhook-fixture';
import { verifySignature, WebhookReceiver } from '../../support/webhooks/webhook-receiver';

const EVENTS = ['turn.started', 'turn.requires_action', 'turn.ended', 'permission.requested', 'permission.decided'];

describe('events of a turn', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  let webhookReceiver: WebhookReceiver;
  let webhook: CreatedWebhook;
  let session: AskingSession;

  beforeAll(async () => {
    fixture = await WebhookFixture.start({ TURN_LOST_AFTER_SECONDS: '2' });
    ada = fixture.subscriber;
  });
  beforeEach(async () => {
    webhookReceiver = await WebhookReceiver.start();
    webhook = await ada.createWebhook(webhookReceiver.url, EVENTS);
    // The device has no socket. Its reports are its signs of life.
    session = await AskingSession.createSession(fixture.service, ada.device, await ada.device.pairDevice('machine'));
  });
  afterEach(async () => {
    expectStatus(await fixture.service.http.delete(`/external/v1/webhooks/${webhook.id}`, ada.token), 204);
    await webhookReceiver.stop();
  });
  afterAll(() => fixture?.stop());

  const report = async (state: ReportedState, revision: number, change: object = {}) => {
    const path = `/v1/sessions/${session.id}/turns/${session.turnLocalId}`;
    const json = buildTurnReport(state, revision, change);
    const answer = await fixture.service.http.request('PUT', path, { token: session.host.token, json });
    return expectStatus(answer, 200).data;
  };
  const readRecord = async (path: string) =>
    expectStatus(await fixture.service.http.get(`/external/v1/sessions/${session.id}/${path}`, ada.token), 200).data;
  const readTurn = () => readRecord(`turns/${session.turnId}`);
  /** Returns the type and record of the newest delivery, once there are this many, all signed. */
  const readDelivery = async (count: number) => {
    const received = await webhookReceiver.waitForRequests(count, 15_000);
    const payloads = received.map((request): any => verifySignature(webhook.secret, request));
    const { type, data } = payloads[count - 1];
    return { type, data };
  };

  it('are delivered in its course, with the records that callers see and without content', async () => {
    expect(await readDelivery(1)).toEqual({ type: 'turn.started', data: await readTurn() });
    const asked = await session.requestPermission('p1');
    const { id } = asked.record;
    expect(await readDelivery(2)).toEqual({
      type: 'permission.requested',
      data: await readRecord(`permission-requests/${id}`),
    });
    await report('requires_action', 2);
    expect(await readDelivery(3)).toEqual({ type: 'turn.requires_action', data: await readTurn() });
    const decided = { ...asked.report, revision: 2, state: 'allowed', optionId: 'o1', decidedAt: session.now };
    expectStatus(await session.putReport('p1', decided), 200);
    expect(await readDelivery(4)).toEqual({
      type: 'permission.decided',
      data: await readRecord(`permission-requests/${id}`),
    });
    await report('running', 3);
    await report('completed', 4);
    expect(await readDelivery(5)).toEqual({ type: 'turn.ended', data: await readTurn() });
    const { title, input } = JSON.parse(QUESTION) as { title: string; input: { command: string } };
    for (const { body } of webhookReceiver.received) {
      for (const secret of [title, input.command, asked.report.content, 'contentHash', '"content"']) {
        expect(body).not.toContain(secret);
      }
    }
    const ids = webhookReceiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(5);
  });

  it('announce the loss of a turn and, with a higher version, what its device reports then', async () => {
    expect((await readDelivery(1)).type).toBe('turn.started');
    fixture.service.advanceClock(3 * SECOND);
    const lost = await readDelivery(2);
    expect(lost).toMatchObject({ type: 'turn.ended', data: { id: session.turnId, state: 'lost', version: 2 } });
    expect(lost.data).toEqual(await readTurn());
    await report('completed', 2);
    const corrected = await readDelivery(3);
    expect(corrected).toMatchObject({ type: 'turn.ended', data: { state: 'completed', version: 3 } });
    expect(corrected.data).toEqual(await readTurn());
  });

  it('announce that a lost turn runs again', async () => {
    expect((await readDelivery(1)).type).toBe('turn.started');
    fixture.service.advanceClock(3 * SECOND);
    expect(await readDelivery(2)).toMatchObject({ type: 'turn.ended', data: { state: 'lost' } });
    await report('running', 2);
    expect(await readDelivery(3)).toMatchObject({ type: 'turn.started', data: { state: 'running', version: 3 } });
    await report('completed', 3);
    expect(await readDelivery(4)).toMatchObject({ type: 'turn.ended', data: { state: 'completed', version: 4 } });
  });
});
