import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { DeviceSession } from '../../support/device/device-session';
import { listViolations } from '../../support/violations';
import { Service } from '../../support/service';

const header = (text: string) => JSON.parse(Buffer.from(text.split('.')[0]!, 'base64url').toString());

/** Returns the ciphertext with another protected header. */
const forged = (text: string, change: object) =>
  [Buffer.from(JSON.stringify({ ...header(text), ...change })).toString('base64url'), ...text.split('.').slice(1)].join(
    '.',
  );

describe('a batch with a violation is rejected as a whole', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let session: DeviceSession;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    session = await DeviceSession.createSession(ada);
  });
  afterAll(() => service?.stop());
  afterEach(async () => {
    const { data } = expectStatus(await service.http.get(`/v1/sessions/${session.id}/messages`, ada.token), 200);
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
    const good = session.encryptMessage('good');
    const bad = session.encryptMessage('bad');
    const httpResponse = await session.postMessages([good, { ...bad, content: spoil(bad.content) }]);
    expect(httpResponse.status).toBe(400);
    expect(httpResponse.body).toMatchObject({
      code: 'invalid_request',
      errors: [{ in: 'body', path: '/messages/1/content', code: 'invalid_jwe' }],
    });
  });

  it('with one character too many', async () => {
    const { content, ...rest } = session.encryptMessage('long');
    const longest = content.padEnd(358_400, 'A');
    const httpResponse = await session.postMessages([{ ...rest, content: `${longest}A` }]);
    expect(httpResponse.body.errors).toMatchObject([{ path: '/messages/0/content', code: 'out_of_range' }]);
  });

  it.each<[string, () => unknown]>([
    ['no messages', () => []],
    ['101 messages', () => Array.from({ length: 101 }, (_, i) => session.encryptMessage(`m${i}`))],
    ['a repeated localId', () => [session.encryptMessage('same'), session.encryptMessage('same')]],
    ['an unknown role', () => [{ ...session.encryptMessage('a'), role: 'robot' }]],
    ['an unknown field', () => [{ ...session.encryptMessage('a'), extra: 1 }]],
    ['a blank in the localId', () => [{ ...session.encryptMessage('a'), localId: 'a b' }]],
    ['what is no list', () => 'messages'],
    ['null in the list', () => [null]],
  ])('with %s', async (_, batch) => {
    const httpResponse = await session.postMessages(batch() as unknown[]);
    expect(httpResponse.status).toBe(400);
    expect(httpResponse.body.code).toBe('invalid_request');
  });

  it('with malformed messages, reporting the path of each', async () => {
    const good = session.encryptMessage('a');
    const other = session.encryptMessage('b');
    expect(
      listViolations(await session.postMessages([good, 'text', { ...other, extra: 1 }, { localId: 'c' }])),
    ).toEqual([
      ['body', '/messages/1', 'invalid_type'],
      ['body', '/messages/2/extra', 'unknown_field'],
      ['body', '/messages/3/content', 'required'],
      ['body', '/messages/3/role', 'required'],
    ]);
    for (const none of [null, [], [good], 7]) {
      expect(listViolations(await session.postMessages([good, none]))).toEqual([
        ['body', '/messages/1', 'invalid_type'],
      ]);
    }
    expect(listViolations(await session.postMessages({ 0: good } as unknown as unknown[]))).toEqual([
      ['body', '/messages', 'invalid_type'],
    ]);
    const many = await session.postMessages(Array.from({ length: 3_000 }, () => ({})));
    expect(listViolations(many)).toEqual([['body', '/messages', 'out_of_range']]);
  });

  it('for a session of another account', async () => {
    const eve = await ForeignAccountDevice.signUp(service.http);
    const httpResponse = await session.postMessages([session.encryptMessage('a')], eve);
    expect(httpResponse.status).toBe(404);
  });
});
