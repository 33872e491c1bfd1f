import { query } from '../../support/database';
import { AccountDevice, ok, type ForeignDevice } from '../../support/device/foreign-device';
import { base64urlJson } from '../../support/device/keys';
import { SessionBody } from '../../support/device/session-bodies';
import { faultPaths } from '../../support/problems';
import { Service } from '../../support/service';

type Fault = [what: string, make: (session: SessionBody) => string];

const part = (jwe: string, at: number, text: string) => jwe.split('.').with(at, text).join('.');

const METADATA: Fault[] = [
  ['no JWE', () => 'hello'],
  ['four parts', (s) => s.metadata(1).split('.').slice(0, 4).join('.')],
  ['six parts', (s) => `${s.metadata(1)}.`],
  ['a header that is no JSON', (s) => part(s.metadata(1), 0, 'AAAA')],
  ['a header that is no object', (s) => part(s.metadata(1), 0, base64urlJson([]))],
  ['characters outside base64url', (s) => part(s.metadata(1), 3, 'a+b=')],
  ['a short IV', (s) => part(s.metadata(1), 2, 'AAAA')],
  ['a short tag', (s) => part(s.metadata(1), 4, 'AAAA')],
  ['an encrypted key', (s) => part(s.metadata(1), 1, 'AAAA')],
  ['another alg', (s) => s.withHeader(s.header({ alg: 'A256KW' }))],
  ['another enc', (s) => s.withHeader(s.header({ enc: 'A128GCM' }))],
  ['zip', (s) => s.withHeader(s.header({ zip: 'DEF' }))],
  ['crit', (s) => s.withHeader(s.header({ crit: ['svc'] }))],
  ['no cty', (s) => s.withHeader(s.header({ cty: undefined }))],
  ['an empty cty', (s) => s.withHeader(s.header({ cty: '' }))],
  ['no kid', (s) => s.withHeader(s.header({ kid: undefined }))],
  ['another kid', (s) => s.metadata(1, {}, 'another-key')],
  ['no svc', (s) => s.withHeader(s.header({ svc: undefined }))],
  ['a null svc', (s) => s.withHeader(s.header({ svc: null }))],
  ['another account', (s) => s.metadata(1, { a: 'acc_00000000000000000000000000' })],
  ['another session', (s) => s.metadata(1, { s: 'another tag' })],
  ['another version', (s) => s.metadata(2)],
  ['a version in a string', (s) => s.metadata(1, { m: '1' })],
  ['a message’s place', (s) => s.metadata(1, { m: undefined, l: 'local', r: 'user' })],
  ['more in its place', (s) => s.metadata(1, { l: 'local' })],
];

const sealed = (header: object) => (s: SessionBody) => part(s.dataKey.sealed, 0, base64urlJson(header));
const EPK = { kty: 'OKP', crv: 'X25519', x: 'A'.repeat(43) };

const SEALED_KEYS: Fault[] = [
  ['no JWE', () => 'hello'],
  ['content in its place', (s) => s.metadata(1)],
  ['another alg', sealed({ alg: 'ECDH-ES', enc: 'A256GCM', epk: EPK })],
  ['another enc', sealed({ alg: 'ECDH-ES+A256KW', enc: 'A256CBC-HS512', epk: EPK })],
  ['zip', sealed({ alg: 'ECDH-ES+A256KW', enc: 'A256GCM', epk: EPK, zip: 'DEF' })],
  ['p2c', sealed({ alg: 'ECDH-ES+A256KW', enc: 'A256GCM', epk: EPK, p2c: 1 })],
  ['more than 4096 characters', (s) => part(s.dataKey.sealed, 3, 'A'.repeat(4_096))],
];

describe('the ciphertexts of a session', () => {
  let service: Service;
  let ada: AccountDevice;
  let host: ForeignDevice;
  let session: SessionBody;

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
    host = await ada.adopt('machine');
  });
  beforeEach(() => {
    session = new SessionBody(ada);
  });
  afterAll(() => service?.stop());

  const create = (extra: object) => service.http.post('/v1/sessions', host.token, session.create(extra));

  async function expectNothingWritten(): Promise<void> {
    expect(await query(service, 'SELECT 1 FROM sessions WHERE tag = $1', [session.tag])).toEqual([]);
  }

  it.each(METADATA)('are refused with metadata of %s, and nothing is written', async (_, make) => {
    expect(faultPaths(await create({ metadata: make(session) }))).toEqual(['/metadata']);
    await expectNothingWritten();
  });

  it.each(SEALED_KEYS)('are refused with a sealed key of %s, and nothing is written', async (_, make) => {
    const { kid } = session.dataKey;
    expect(faultPaths(await create({ dataKey: { kid, sealed: make(session) } }))).toEqual(['/dataKey/sealed']);
    await expectNothingWritten();
  });

  it.each([[''], ['k'.repeat(129)], ['a b'], ['schlüssel'], [7]])('are refused with the key id %j', async (kid) => {
    const dataKey = { ...session.dataKey, kid };
    expect(faultPaths(await create({ dataKey }))).toEqual(['/dataKey/kid']);
    await expectNothingWritten();
  });

  it('are both named where both are at fault', async () => {
    const dataKey = { ...session.dataKey, sealed: 'x' };
    expect(faultPaths(await create({ dataKey, metadata: 'y' })).sort()).toEqual(['/dataKey/sealed', '/metadata']);
  });

  it('are taken as they are, and read back so', async () => {
    const metadata = session.metadata(1);
    const { data } = ok(await create({ metadata }), 201);
    expect(data).toMatchObject({ metadata, dataKey: session.dataKey });
  });
});
