import { ok } from '../../support/device/foreign-device';
import { Receiver } from '../../support/webhooks/receiver';
import { Subscriber, WebhookScene } from '../../support/webhooks/webhook-scene';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('the trace of a request (W3C Trace Context)', () => {
  let scene: WebhookScene;
  let ada: Subscriber;
  let receiver: Receiver;
  beforeAll(async () => {
    scene = await WebhookScene.start();
    const scopes = ['webhooks:manage', 'sessions:read', 'machines:read', 'machines:invoke'];
    ada = await Subscriber.signUp(scene.service.http, scopes);
  });
  beforeEach(async () => {
    receiver = await Receiver.start();
  });
  afterEach(() => receiver.stop());
  afterAll(() => scene?.stop());

  const openSession = async (headers: Record<string, string>) => {
    const { kid, sealed } = ada.ada.newDataKey();
    const body = { tag: kid, dataKey: { kid, sealed } };
    ok(await scene.service.http.post('/v1/sessions', ada.ada.token, body, { headers }), 201);
  };

  it('goes on in what it caused: the event’s delivery carries it, on every try', async () => {
    receiver.answer = (_, response, n) => response.writeHead(n === 1 ? 500 : 204, { 'Retry-After': '1' }).end();
    await ada.create(receiver.url, ['session.created']);
    await openSession({ traceparent: TRACE });
    const tries = await receiver.got(2);
    expect(tries.map(({ headers }) => headers.traceparent)).toEqual([TRACE, TRACE]);
  });

  it.each([
    ['none', {}],
    ['a malformed one', { traceparent: `${TRACE}-and-more` }],
    ['one of zeros', { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` }],
  ])('is not made up: %s', async (_, headers: Record<string, string>) => {
    await ada.create(receiver.url, ['session.created']);
    await openSession(headers);
    const [received] = await receiver.got(1);
    expect(received!.headers).not.toHaveProperty('traceparent');
  });

  it('of a relayed call is on what tells how it ended, and of a replay on the replay', async () => {
    const { id } = await ada.create(receiver.url, ['relay.failed']);
    const machine = await ada.ada.adopt('machine');
    const about = { name: 'box', platform: 'linux' };
    const { data } = ok(await scene.service.http.post('/v1/machines', machine.token, about), 201);
    const path = `/external/v1/machines/${data.id}/invoke`;
    const options = { headers: { traceparent: TRACE } };
    ok(await scene.service.http.post(path, ada.token, { command: 'true' }, options), 503);
    const [received] = await receiver.got(1);
    expect(received!.headers.traceparent).toBe(TRACE);

    // Whoever reads what is written behind the calls lends them no trace.
    const untraced = await scene.service.http.post(path, ada.token, { command: 'true' });
    const audit = `/v1/relay-calls/${untraced.body.requestId}`;
    ok(await scene.service.http.get(audit, ada.ada.token, options), 200);
    const [, second] = await receiver.got(2);
    expect(second!.headers).not.toHaveProperty('traceparent');

    const [delivery] = await ada.deliveries(id);
    const other = TRACE.replace('0af7', 'ffff');
    const replay = `/v1/webhooks/${id}/deliveries/${delivery.id}/replay`;
    ok(await scene.service.http.post(replay, ada.ada.token, {}, { headers: { traceparent: other } }), 201);
    const [, , again] = await receiver.got(3);
    expect(again!.headers.traceparent).toBe(other);
  });
});
