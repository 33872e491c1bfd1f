import { createHash } from 'node:crypto';
import { Registry } from 'prom-client';
import { MINUTE } from '../../../src/common/clock';
import { AskingSession } from '../../support/content/asking-session';
import { queryDatabase } from '../../support/database';
import { expectStatus, ForeignAccountDevice, type ForeignDevice } from '../../support/device/foreign-device';
import { createPushEnv, PushService, verifyVapid, type TestBrowserKeys } from '../../support/push-service';
import { RelayFixture } from '../../support/relay-fixture';
import { Service } from '../../support/service';
import { ReportedTurn } from '../../support/turns/turn-reports';
import { waitFor } from '../../support/wait-for';

const PATH = '/v1/push-subscriptions';

describe('push messages', () => {
  let service: Service;
  let pushService: PushService;
  let ada: ForeignAccountDevice;
  let session: AskingSession;
  let browser: TestBrowserKeys;

  beforeAll(async () => {
    pushService = await PushService.start();
    service = await Service.start(createPushEnv());
  });
  beforeEach(async () => {
    pushService.respond = () => [201];
    ada = await ForeignAccountDevice.signUp(service.http);
    browser = await subscribe();
    session = await AskingSession.createSession(service, ada);
  });
  afterAll(async () => {
    await service?.stop();
    await pushService?.stop();
  });

  const subscribe = async (device: ForeignDevice = ada, changes: object = {}) => {
    const keys = pushService.addBrowser();
    expectStatus(await service.http.post(PATH, device.token, { ...keys.subscription, ...changes }), 201);
    return keys;
  };
  const typesTo = (keys: TestBrowserKeys) => pushService.messagesTo(keys).map(({ message }) => message.type);
  const endTurn = async (state: 'completed' | 'failed' | 'cancelled', sessionId = session.id) => {
    const turn = new ReportedTurn(ada, sessionId);
    await turn.report('running');
    expectStatus(await turn.report(state), 200);
    return turn;
  };
  const reportDecision = async (localId: string, report: object) => {
    const decided = { revision: 2, state: 'rejected', optionId: 'o3', decidedAt: session.now };
    expectStatus(await session.putReport(localId, { ...report, ...decided }), 200);
  };
  const listSubscriptions = async () => expectStatus(await service.http.get(PATH, ada.token), 200);
  /** Waits until nothing is due, so that no further message can come. */
  const waitUntilSent = () =>
    waitFor(async () => {
      const due = await queryDatabase(service, 'SELECT 1 FROM push_notices WHERE due_at <= $1', [
        new Date(service.now + MINUTE),
      ]);
      expect(due).toEqual([]);
    }, 10_000);

  it('tell of a request by its ids, encrypted, until it expires', async () => {
    const { record } = await session.requestPermission('p1');
    const [pushed] = await pushService.waitForMessages(browser, 1);
    expect(pushed!.message).toEqual({ type: 'permission.requested', sessionId: session.id, id: record.id });
    expect(pushed!.headers).toMatchObject({ 'content-encoding': 'aes128gcm', urgency: 'high' });
    expect(Number(pushed!.headers.ttl)).toBeGreaterThan(590);
    expect(Number(pushed!.headers.ttl)).toBeLessThanOrEqual(600);
    expect(pushed!.headers.topic).toMatch(/^[A-Za-z0-9_-]{32}$/);
    expect(pushed!.body.toString('latin1')).not.toContain(session.id);
  });

  it('are authenticated with the key of the subscription for half a day', async () => {
    await session.requestPermission('p1');
    const [pushed] = await pushService.waitForMessages(browser, 1);
    const { aud, exp, sub } = await verifyVapid(pushed!, (await listSubscriptions()).applicationServerKey);
    expect({ aud, sub }).toEqual({ aud: pushService.origin, sub: 'mailto:operator@example.com' });
    expect(exp! - service.now / 1000).toBeLessThanOrEqual(12 * 3_600);
    expect(exp! - service.now / 1000).toBeGreaterThan(11 * 3_600 - 60);
  });

  it('tell of turns that are completed or have failed, and of no others', async () => {
    for (const state of ['cancelled', 'completed', 'failed'] as const) {
      const { id: sessionId } = await ada.createSession(ada);
      await endTurn(state, sessionId);
    }
    const pushed = await pushService.waitForMessages(browser, 2);
    await waitUntilSent();
    expect(typesTo(browser).sort()).toEqual(['turn.completed', 'turn.failed']);
    expect(pushed[0]!.headers).toMatchObject({ ttl: String(12 * 3_600), urgency: 'normal' });
    expect(pushed[0]!.message.id).toMatch(/^turn_/);
  });

  it('go to the browsers of the account that want them', async () => {
    const phone = await ada.pairDevice('account', 'phone');
    const quiet = await subscribe(phone, { events: ['turn.failed'] });
    const stranger = await subscribe(await ForeignAccountDevice.signUp(service.http));
    await session.requestPermission('p1');
    await pushService.waitForMessages(browser, 1);
    await waitUntilSent();
    expect([typesTo(quiet), typesTo(stranger)]).toEqual([[], []]);
  });

  it('go to no browser that subscribed with another key of the service, which no list has', async () => {
    const phone = await ada.pairDevice('account', 'phone');
    const outdated = await subscribe(phone);
    const changeKey = `UPDATE push_subscriptions SET server_key = 'another' WHERE device_id = $1`;
    await queryDatabase(service, changeKey, [phone.id]);
    await session.requestPermission('p1');
    await pushService.waitForMessages(browser, 1);
    await waitUntilSent();
    expect(typesTo(outdated)).toEqual([]);
    expect((await listSubscriptions()).data).toMatchObject([{ deviceId: ada.id }]);
  });

  it('are one per session and minute, with the last event', async () => {
    const other = await AskingSession.createSession(service, ada);
    await session.requestPermission('p1');
    await pushService.waitForMessages(browser, 1);
    await session.requestPermission('p2');
    const { record } = await session.requestPermission('p3');
    await other.requestPermission('p1');
    await pushService.waitForMessages(browser, 2);
    service.advanceClock(MINUTE - 5_000);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(pushService.messagesTo(browser)).toHaveLength(2);
    service.advanceClock(10_000);
    const pushed = await pushService.waitForMessages(browser, 3);
    expect(pushed.map(({ message }) => message.sessionId)).toEqual([session.id, other.id, session.id]);
    expect(pushed[2]!.message.id).toBe(record.id);
    expect(pushed[2]!.headers.topic).toBe(pushed[0]!.headers.topic);
    expect(pushed[1]!.headers.topic).not.toBe(pushed[0]!.headers.topic);
  });

  it('are not sent for a request that is decided before its notice was due', async () => {
    await session.requestPermission('p1');
    await pushService.waitForMessages(browser, 1);
    const { record, report } = await session.requestPermission('p2');
    await reportDecision('p2', report);
    service.advanceClock(2 * MINUTE);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(pushService.messagesTo(browser).map(({ message }) => message.id)).not.toContain(record.id);
  });

  it('wait no longer when the request is decided whose notice the browser shows', async () => {
    const first = await session.requestPermission('p1');
    await pushService.waitForMessages(browser, 1);
    const second = await session.requestPermission('p2');
    await reportDecision('p1', first.report);
    const [, pushed] = await pushService.waitForMessages(browser, 2);
    expect(pushed!.message).toMatchObject({ type: 'permission.requested', id: second.record.id });
  });

  it('close the shown request also if a later one is decided before its notice was due', async () => {
    const first = await session.requestPermission('p1');
    await pushService.waitForMessages(browser, 1);
    const second = await session.requestPermission('p2');
    await reportDecision('p2', second.report);
    await reportDecision('p1', first.report);
    const [, pushed] = await pushService.waitForMessages(browser, 2);
    expect(pushed!.message).toMatchObject({ type: 'permission.decided', id: first.record.id });
  });

  it('end with one that closes the shown request if all of them are decided at once', async () => {
    const first = await session.requestPermission('p1');
    await pushService.waitForMessages(browser, 1);
    const second = await session.requestPermission('p2');
    await reportDecision('p1', first.report);
    await reportDecision('p2', second.report);
    await waitFor(() => expect(typesTo(browser)).toContain('permission.decided'), 10_000);
    await waitUntilSent();
    expect(typesTo(browser).at(-1)).toBe('permission.decided');
  });

  it.each([404, 410])('that are answered with %s delete the subscription', async (status) => {
    pushService.respond = () => [status];
    await session.requestPermission('p1');
    await waitFor(async () => expect((await listSubscriptions()).data).toEqual([]), 10_000);
    expect(pushService.messagesTo(browser)).toHaveLength(1);
  });

  it('are repeated three times after failures, and then dropped', async () => {
    pushService.respond = () => [503];
    await endTurn('completed');
    for (const [n, delayMs] of [5_000, 30_000, 120_000].entries()) {
      await pushService.waitForMessages(browser, n + 1);
      await waitUntilRetried(n + 1);
      service.advanceClock(delayMs);
    }
    await pushService.waitForMessages(browser, 4);
    await waitUntilSent();
    expect((await listSubscriptions()).data).toHaveLength(1);
    expect(service.logs.join('')).toContain('push message dropped');
  });

  const waitUntilRetried = (attempts: number) =>
    waitFor(async () => {
      const rows = await queryDatabase<any>(
        service,
        'SELECT attempts, noticed_at, due_at FROM push_notices WHERE session_id = $1',
        [session.id],
      );
      expect(rows).toMatchObject([{ attempts }]);
      // During the attempt, the notice is leased for a minute.
      expect(rows[0].due_at - rows[0].noticed_at).not.toBe(MINUTE);
    }, 10_000);

  it('wait as long as a push service asks for, unless it would be too late', async () => {
    pushService.respond = () => [429, { 'Retry-After': '600' }];
    await session.requestPermission('p1', { expiresAt: session.now + 50_000 });
    await pushService.waitForMessages(browser, 1);
    await waitFor(() => expect(service.logs.join('')).toContain('"status":429'), 10_000);
    await endTurn('completed');
    service.advanceClock(MINUTE);
    await pushService.waitForMessages(browser, 2);
    // Longer than the lease of an attempt, and than the wait without this header.
    await waitUntilRetriedAfter(2 * MINUTE);
  });

  const waitUntilRetriedAfter = (ms: number) =>
    waitFor(async () => {
      const [row] = await queryDatabase<any>(service, 'SELECT due_at FROM push_notices WHERE session_id = $1', [
        session.id,
      ]);
      expect(row.due_at.getTime() - service.now).toBeGreaterThan(ms);
    }, 10_000);

  it('are not lost if another event comes during the attempt for the one before', async () => {
    let answer!: () => void;
    const isAnswered = new Promise<void>((resolve) => (answer = resolve));
    pushService.respond = () => isAnswered.then(() => [201]);
    const sentCount = await countSent();
    await session.requestPermission('p1');
    await pushService.waitForMessages(browser, 1);
    const { record } = await session.requestPermission('p2');
    answer();
    await waitFor(async () => expect(await countSent()).toBeGreaterThan(sentCount), 10_000);
    service.advanceClock(MINUTE);
    const [, pushed] = await pushService.waitForMessages(browser, 2);
    expect(pushed!.message).toMatchObject({ type: 'permission.requested', id: record.id });
  });

  const countSent = async (): Promise<number> => {
    const { values } = await service.app.get(Registry, { strict: false }).getSingleMetric('push_messages_total')!.get();
    return values.find(({ labels }) => labels.outcome === 'sent')?.value ?? 0;
  };

  it('that an instance has taken and not sent are sent when its lease is over', async () => {
    pushService.respond = () => [503];
    await endTurn('completed');
    await pushService.waitForMessages(browser, 1);
    await waitUntilRetried(1);
    pushService.respond = () => [201];
    // What an instance leaves that is killed during the second attempt.
    await queryDatabase(service, 'UPDATE push_notices SET attempts = 2, due_at = $2 WHERE session_id = $1', [
      session.id,
      new Date(service.now + MINUTE),
    ]);
    service.advanceClock(MINUTE);
    await pushService.waitForMessages(browser, 2);
    await waitUntilSent();
  });
});

describe('the notice of a request', () => {
  let fixture: RelayFixture;
  let pushService: PushService;

  beforeAll(async () => {
    pushService = await PushService.start();
    fixture = await RelayFixture.start(createPushEnv());
  });
  afterAll(async () => {
    await fixture?.stop();
    await pushService?.stop();
  });

  it('is taken back when another browser has decided', async () => {
    const { ada, http } = fixture;
    const phone = await ada.pairDevice('account', 'phone');
    const [here, onPhone] = [pushService.addBrowser(), pushService.addBrowser()];
    expectStatus(await http.post(PATH, ada.token, here.subscription), 201);
    expectStatus(await http.post(PATH, phone.token, onPhone.subscription), 201);
    const machine = await fixture.createMachine(['session.message', 'session.permission']);
    machine.socket.setHandler(() => ({ ok: true, result: { state: 'allowed', optionId: 'o1' } }));
    const session = await AskingSession.createSession(fixture.service, ada, machine.device);
    const { record, report } = await session.requestPermission('p1');
    await Promise.all([here, onPhone].map((keys) => pushService.waitForMessages(keys, 1)));
    const contentHash = createHash('sha256').update(report.content).digest('base64url');
    const path = `/v1/control/sessions/${session.id}/permission-requests/${record.id}/decision`;
    expectStatus(await http.post(path, phone.token, { decision: 'allow', contentHash }), 200);
    const [asked, back] = await pushService.waitForMessages(here, 2);
    expect(back!.message).toEqual({ type: 'permission.decided', sessionId: session.id, id: record.id });
    expect(back!.headers.topic).toBe(asked!.headers.topic);
    expect(pushService.messagesTo(onPhone)).toHaveLength(1);
  });
});
