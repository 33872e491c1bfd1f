import { AccountDevice, ok } from '../../support/device/foreign-device';
import { KeptSession } from '../../support/device/kept-session';
import { Service } from '../../support/service';

const header = (text: string) => JSON.parse(Buffer.from(text.split('.')[0]!, 'base64url').toString());

/** The same text under another protected header. */
const forged = (text: string, change: object) =>
  [Buffer.from(JSON.stringify({ ...header(text), ...change })).toString('base64url'), ...text.split('.').slice(1)].join(
    '.',
  );

describe('a batch with a fault is refused whole', () => {
  let service: Service;
  let ada: AccountDevice;
  let session: KeptSession;

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
    session = await KeptSession.open(ada);
  });
  afterAll(() => service?.stop());
  afterEach(async () => {
    const { data } = ok(await service.http.get(`/v1/sessions/${session.id}/messages`, ada.token), 200);
    expect(data).toEqual([]);
  });

  it.each<[string, (content: string) => string]>([
    ['a wrong alg', (content) => forged(content, { alg: 'A256KW' })],
    ['a wrong enc', (content) => forged(content, { enc: 'A128GCM' })],
    ['a wrong kid', (content) => forged(content, { kid: 'another' })],
    ['zip in its header', (content) => forged(content, { zip: 'DEF' })],
    ['crit in its header', (content) => forged(content, { crit: ['svc'] })],
    ['another session’s place', (content) => forged(content, { svc: { ...header(content).svc, s: 'other' } })],
    ['another account’s place', (content) => forged(content, { svc: { ...header(content).svc, a: 'acc_x' } })],
    ['another role’s place', (content) => forged(content, { svc: { ...header(content).svc, r: 'tool' } })],
    ['a part missing', (content) => content.split('.').slice(0, 4).join('.')],
    ['an encrypted key', (content) => content.replace('..', '.AAAA.')],
    ['no JWE at all', () => 'hello'],
  ])('with %s', async (_, spoil) => {
    const good = session.message('good');
    const bad = session.message('bad');
    const answer = await session.post([good, { ...bad, content: spoil(bad.content) }]);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      code: 'invalid_request',
      errors: [{ in: 'body', path: '/messages/1/content', code: 'invalid_jwe' }],
    });
  });

  it('with one character too many', async () => {
    const { content, ...rest } = session.message('long');
    const longest = content.padEnd(358_400, 'A');
    const answer = await session.post([{ ...rest, content: `${longest}A` }]);
    expect(answer.body.errors).toMatchObject([{ path: '/messages/0/content', code: 'out_of_range' }]);
  });

  it.each<[string, () => unknown]>([
    ['no messages', () => []],
    ['101 messages', () => Array.from({ length: 101 }, (_, i) => session.message(`m${i}`))],
    ['a repeated localId', () => [session.message('same'), session.message('same')]],
    ['an unknown role', () => [{ ...session.message('a'), role: 'robot' }]],
    ['an unknown field', () => [{ ...session.message('a'), extra: 1 }]],
    ['a blank in the localId', () => [{ ...session.message('a'), localId: 'a b' }]],
    ['what is no list', () => 'messages'],
    ['null in the list', () => [null]],
  ])('with %s', async (_, batch) => {
    const answer = await session.post(batch() as unknown[]);
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe('invalid_request');
  });

  it('for a session of another account', async () => {
    const eve = await AccountDevice.signUp(service.http);
    const answer = await session.post([session.message('a')], eve);
    expect(answer.status).toBe(404);
  });
});
