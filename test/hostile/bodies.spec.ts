import { gzipSync } from 'node:zlib';
import { ForeignAccountDevice, expectStatus } from '../support/device/foreign-device';
import { DeviceSession } from '../support/device/device-session';
import { computeSlowdown, type LatencySummary } from './support/bystander';
import { AttackTarget } from './support/attack-target';

const MIB = 1_048_576;
const TIMES = 3;
/** Repetitions: other load on the machine is temporary, but an effective attack slows the service every time. */
const ATTEMPTS = 3;

/** Joins as many parts as fit into this many bytes. */
const filled = (bytes: number, open: string, close: string, part: (i: number) => string) => {
  const parts: string[] = [];
  let length = open.length + close.length;
  for (let next = part(0); length + next.length < bytes; next = part(parts.length)) {
    parts.push(next);
    length += next.length + 1;
  }
  return open + parts.join() + close;
};
const numbered = (i: number) => `"a${i}":0`;

/** Several paths get the same bodies, which take longer to make than to refuse. */
const made = new Map<string, Record<string, string | Buffer>>();
const makeOnce = (name: string, make: () => Record<string, string | Buffer>) => {
  if (!made.has(name)) made.set(name, make());
  return made.get(name)!;
};

const hostile = (bytes: number) => makeOnce(`${bytes}`, () => makeHostile(bytes));
const makeBombs = (bytes: number) =>
  makeOnce(`${bytes} compressed`, () =>
    Object.fromEntries(Object.entries(hostile(bytes)).map(([name, body]) => [name, gzipSync(body)])),
  );

/** JSON of this many bytes that is expensive to process. */
const makeHostile = (bytes: number): Record<string, string | Buffer> => ({
  members: filled(bytes, '{', '}', numbered),
  'members of a key': filled(bytes, '{"publicKey":{', '}}', numbered),
  'one member again and again': filled(bytes, '{', '}', () => '"a":{}'),
  'names of Object.prototype': filled(
    bytes,
    '{',
    '}',
    (i) => `"${['__proto__', 'constructor', 'toString'][i % 3]}":{"a":0}`,
  ),
  elements: filled(bytes, '{"messages":[', ']}', () => '{}'),
  'members of messages': filled(bytes, '{"messages":[{', '}]}', numbered),
  'long names': filled(bytes, '{', '}', (i) => `"${'\\u0001'.repeat(1_000)}${i}":0`),
  'one long text': `{"content":"${'\\"'.repeat(bytes / 2 - 10)}"}`,
  nesting: '{"a":'.repeat(bytes / 5),
  'closed nesting': `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`,
  digits: `{"expectedVersion":${'1'.repeat(bytes - 30)}}`,
});

describe('a hostile body', () => {
  let attackTarget: AttackTarget;
  let calm: LatencySummary;
  let ada: ForeignAccountDevice;
  let session: DeviceSession;
  let serial = 0;

  beforeAll(async () => {
    attackTarget = await AttackTarget.start({ TRUST_PROXY: '1' });
    ada = await ForeignAccountDevice.signUp(attackTarget.http);
    session = await DeviceSession.createSession(ada);
    calm = await attackTarget.bystander.measureBaseline();
  });
  afterAll(() => attackTarget?.stop());

  /** Sends each body a few times from new addresses. Every response must be a small error without delays for others. */
  const attack = async (path: string, bodies: Record<string, string | Buffer>, headers: object = {}) => {
    const method = path.endsWith('/content') ? 'PUT' : 'POST';
    const send = async (body: string | Buffer) => {
      const response = await fetch(attackTarget.http.url + path, {
        method,
        body: body as BodyInit,
        headers: {
          'Content-Type': 'application/json',
          'X-Forwarded-For': `203.0.113.${serial++ % 250}`,
          ...headers,
        },
      });
      return { status: response.status, bytes: (await response.text()).length };
    };
    for (const [name, body] of Object.entries(bodies)) {
      const answers: { status: number; bytes: number }[] = [];
      let slowed = Infinity;
      for (let attempt = 1; slowed >= 10 && attempt <= ATTEMPTS; attempt++) {
        const attacked = await attackTarget.bystander.measureDuring(async () => {
          for (let n = 0; n < TIMES; n++) answers.push(await send(body));
        });
        expect([name, attacked.failures]).toEqual([name, 0]);
        slowed = computeSlowdown(calm, attacked);
      }
      // Includes the name, so that a failure shows the body.
      expect([name, slowed < 10 || slowed]).toEqual([name, true]);
      for (const { status, bytes } of answers) {
        expect([name, [400, 404, 413, 415].includes(status) || status]).toEqual([name, true]);
        expect(bytes).toBeLessThan(65_536);
      }
    }
  };

  it.each(['/v1/auth/challenge', '/v1/auth/sign-in', '/v1/accounts', '/v1/pairings', '/console/session'])(
    'without a credential doesn’t slow others: %s',
    async (path) => {
      await attack(path, hostile(MIB));
      await attack(path, hostile(16_000));
      await attack(path, makeBombs(MIB), { 'Content-Encoding': 'gzip' });
    },
  );

  it.each([
    ['messages', () => `/v1/sessions/${session.id}/messages`, 8],
    ['artifacts', () => '/v1/artifacts', 3],
    ['an artifact’s content', () => '/v1/artifacts/art_00000000000000000000000000/content', 8],
    ['a key grant', () => `/v1/sessions/${session.id}/key-grants`, 1],
    ['a session', () => '/v1/sessions', 1],
  ])('of a signed-in device doesn’t slow other accounts: %s', async (_, path, mib) => {
    const headers = { Authorization: `Bearer ${ada.token}` };
    await attack(path(), hostile(mib * MIB - 100), headers);
    const list = (count: number, part: (i: number) => string) =>
      Array.from({ length: count }, (__, i) => part(i)).join();
    // At the limits: the body is parsed, transformed and validated.
    const most = {
      members: `{${list(9_990, numbered)}}`,
      elements: `{"messages":[${list(9_990, () => '{}')}]}`,
      'members of a field': `{"recipient":{${list(9_990, numbered)}}}`,
      'members of each message': `{"messages":[${list(90, () => `{${list(100, numbered)}}`)}]}`,
    };
    await attack(path(), most, headers);
    await attack(path(), makeBombs(mib * MIB - 100), { ...headers, 'Content-Encoding': 'gzip' });
  });

  it('is not mistaken for the largest valid batch', async () => {
    const batch = Array.from({ length: 100 }, (_, i) => session.encryptMessage(`m${i}`, 'user', 'x'.repeat(32_000)));
    expect(Buffer.byteLength(JSON.stringify(batch))).toBeGreaterThan(4 * MIB);
    const httpResponse = await attackTarget.http.post(`/v1/sessions/${session.id}/messages`, ada.token, {
      messages: batch,
    });
    expect(expectStatus(httpResponse, 201).data).toHaveLength(100);
  });
});
