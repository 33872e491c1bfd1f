import { randomUUID } from 'node:crypto';
import { DAY } from '../../../src/common/clock';
import { AccountAdminService, EventQuota } from '../../../src/modules/accounts';
import { getGrantsPath, GrantedArtifact } from '../../support/content/granted-session';
import { queryDatabase } from '../../support/database';
import { DeviceSession } from '../../support/device/device-session';
import { SessionBodyBuilder } from '../../support/device/session-body-builder';
import { expectStatus } from '../../support/device/foreign-device';
import { expectProblem } from '../../support/problems';
import { ReportedTurn } from '../../support/turns/turn-reports';
import { waitFor } from '../../support/wait-for';
import { Subscriber, WebhookFixture } from '../../support/webhooks/webhook-fixture';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver';

const LIMIT = 100_000;
/** Fixed cost of an event and of a delivery beside its payload (docs/protocol/external-api.md#events-of-a-day). */
const ROW = 512;

describe('the events that an account may cause in a day', () => {
  let fixture: WebhookFixture;
  let ada: Subscriber;
  let session: DeviceSession;

  beforeAll(async () => {
    fixture = await WebhookFixture.start({ RATE_LIMIT_METADATA: '100000' });
  });
  beforeEach(async () => {
    ada = await Subscriber.signUp(fixture.service.http);
    session = await DeviceSession.createSession(ada.device);
    await limit(LIMIT);
  });
  afterAll(() => fixture?.stop());

  const http = () => fixture.service.http;
  const limit = (maxEventBytesPerDay: number) =>
    fixture.service.app
      .get(AccountAdminService, { strict: false })
      .setAccountLimits(ada.device.accountId, { maxEventBytesPerDay });
  const append = () => session.postMessages([session.encryptMessage(randomUUID())]);
  const readBytes = async () => {
    const sql = 'SELECT bytes FROM event_usage WHERE account_id = $1';
    const [row] = await queryDatabase<{ bytes: string }>(fixture.service, sql, [ada.device.accountId]);
    return Number(row?.bytes ?? 0);
  };
  const exhaust = async () => {
    await waitFor(async () => {
      expectProblem(await append(), 403, 'plan_limit_exceeded');
    }, 30_000);
    expect(await readBytes()).toBeGreaterThanOrEqual(LIMIT);
  };

  it('are limited to the bytes of the plan, with the limit in the error', async () => {
    const { limits } = expectStatus(await http().get('/v1/account', ada.device.token), 200).data.plan;
    expect(limits.maxEventBytesPerDay).toBe(LIMIT);
    await exhaust();
    expect(expectProblem(await append(), 403, 'plan_limit_exceeded').limit).toBe(LIMIT);
  });

  it('refuse what makes more of them, and neither ends nor deletions', async () => {
    const other = await DeviceSession.createSession(ada.device);
    const token = await ada.device.createToken(['sessions:read', 'sessions:write']);
    const { id } = await ada.createWebhook('http://127.0.0.1:9/', ['session.ended']);
    const turn = new ReportedTurn(ada.device, session.id);
    expectStatus(await turn.report('queued'), 201);
    const artifact = await GrantedArtifact.createArtifact(ada.device, 'a report');
    const granted = await GrantedArtifact.createArtifact(ada.device, 'a report');
    const grant = expectStatus(await granted.grantToService(), 201).data;
    const patch = (id: string, json: object) =>
      http().request('PATCH', `/v1/sessions/${id}`, { token: ada.device.token, json });
    await exhaust();
    const post = (path: string, body: object = {}) => http().post(path, ada.device.token, body);
    expectStatus(await turn.report('running'), 200);
    for (const refused of [
      await turn.report('requires_action'),
      await new ReportedTurn(ada.device, session.id).report('queued'),
      await post('/v1/account/external-tokens', { name: 'more', scopes: ['sessions:read'] }),
      await post(`/v1/webhooks/${id}/test`),
      await http().post(`/external/v1/sessions/${session.id}/messages`, token.token, { content: 'hello' }),
      await post('/v1/sessions', new SessionBodyBuilder(ada.device).buildCreateBody()),
      await patch(session.id, { agent: { name: 'other', title: 'Other' } }),
      await artifact.replaceContent('x', 1),
      await artifact.grantToService(),
    ])
      expectProblem(refused, 403, 'plan_limit_exceeded');
    expectStatus(await turn.report('completed'), 200);
    expectStatus(await patch(session.id, { state: 'ended' }), 200);
    expectProblem(await patch(session.id, { state: 'active' }), 403, 'plan_limit_exceeded');
    const grantPath = `${getGrantsPath(granted.resource)}/${grant.id}`;
    for (const path of [grantPath, `/v1/artifacts/${artifact.id}`])
      expectStatus(await http().delete(path, ada.device.token), 204);
    expectStatus(await http().delete(`/v1/sessions/${other.id}`, ada.device.token), 204);
    expectStatus(await http().delete(`/v1/account/external-tokens/${token.id}`, ada.device.token), 204);
    expectStatus(await http().get('/v1/sessions', ada.device.token), 200);
    // Others go on.
    const eve = await Subscriber.signUp(http());
    await DeviceSession.createSession(eve.device);
  });

  it('count those of all instances, and start again the next day, or with a higher limit', async () => {
    await append();
    await waitFor(async () => expect(await readBytes()).toBeGreaterThan(0));
    const sql = 'UPDATE event_usage SET bytes = bytes + $2 WHERE account_id = $1';
    await queryDatabase(fixture.service, sql, [ada.device.accountId, LIMIT]);
    expectStatus(await append(), 201);
    await exhaust();
    await limit(10 * LIMIT);
    await waitFor(async () => expectStatus(await append(), 201), 2_000);
    await limit(LIMIT);
    await exhaust();
    fixture.service.advanceClock(DAY);
    try {
      expectStatus(await append(), 201);
      await waitFor(async () => expect(await readBytes()).toBeLessThan(LIMIT));
    } finally {
      fixture.service.advanceClock(-DAY);
    }
  }, 60_000);

  it('include their deliveries', async () => {
    const receiver = await WebhookReceiver.start();
    for (let n = 0; n < 3; n++) await ada.createWebhook(receiver.url, ['message.created']);
    await fixture.service.app.get(EventQuota, { strict: false }).flushSums();
    const before = await readBytes();
    await append();
    await waitFor(() => expect(receiver.received).toHaveLength(3), 10_000);
    const payload = Buffer.byteLength(JSON.stringify(receiver.received[0]!.payload));
    await waitFor(async () => expect((await readBytes()) - before).toBe(4 * (ROW + payload)));
    await receiver.stop();
  });
});
