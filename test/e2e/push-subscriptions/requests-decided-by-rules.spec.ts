import { createHash } from 'node:crypto';
import { MINUTE } from '../../../src/common/clock';
import { AskingSession } from '../../support/content/asking-session';
import { queryDatabase } from '../../support/database';
import { expectStatus, ForeignAccountDevice, type ForeignDevice } from '../../support/device/foreign-device';
import { createPushEnv, PushService } from '../../support/push-service';
import { RelayFixture } from '../../support/relay-fixture';

describe('a request that a rule of the device has decided', () => {
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

  const subscribe = async ({ token }: ForeignDevice) => {
    const browser = pushService.addBrowser();
    expectStatus(await fixture.http.post('/v1/push-subscriptions', token, browser.subscription), 201);
    return browser;
  };
  const decideByRule = (session: AskingSession) =>
    session.requestPermission('by-rule', { state: 'allowed', optionId: 'o1', decidedAt: session.now });
  /** Returns what the browser of the device is still to be told. A message that was sent has an attempt. */
  const readNotices = (session: AskingSession, device: ForeignDevice) =>
    queryDatabase<{ recordId: string; attempts: number; dueAt: Date | null }>(
      fixture.service,
      `SELECT n.record_id AS "recordId", n.attempts, n.due_at AS "dueAt"
         FROM push_notices n JOIN push_subscriptions s ON s.id = n.subscription_id
        WHERE n.session_id = $1 AND s.device_id = $2`,
      [session.id, device.id],
    );

  it('causes no message to the browser that has decided the request before', async () => {
    const { ada, http } = fixture;
    const browser = await subscribe(ada);
    const { device, socket } = await fixture.createMachine(['session.message', 'session.permission']);
    socket.setHandler(() => ({ ok: true, result: { state: 'allowed', optionId: 'o1' } }));
    const session = await AskingSession.createSession(fixture.service, ada, device);
    const { record, report } = await session.requestPermission('p1');
    await pushService.waitForMessages(browser, 1);
    const contentHash = createHash('sha256').update(report.content).digest('base64url');
    const path = `/v1/control/sessions/${session.id}/permission-requests/${record.id}/decision`;
    expectStatus(await http.post(path, ada.token, { decision: 'allow', contentHash }), 200);
    await decideByRule(session);
    expect(await readNotices(session, ada)).toEqual([{ recordId: record.id, attempts: 0, dueAt: null }]);
  });

  it('makes no other message of its session leave before the minute is over', async () => {
    const ada = await ForeignAccountDevice.signUp(fixture.http);
    const browser = await subscribe(ada);
    const session = await AskingSession.createSession(fixture.service, ada);
    await session.requestPermission('p1');
    await pushService.waitForMessages(browser, 1);
    const { record } = await session.requestPermission('p2');
    await decideByRule(session);
    const [waiting] = await readNotices(session, ada);
    expect(waiting).toMatchObject({ recordId: record.id, attempts: 0 });
    expect(waiting!.dueAt!.getTime()).toBeGreaterThan(fixture.service.now);
    fixture.service.advanceClock(MINUTE);
    const [, pushed] = await pushService.waitForMessages(browser, 2);
    expect(pushed!.message).toMatchObject({ type: 'permission.requested', id: record.id });
  });
});
