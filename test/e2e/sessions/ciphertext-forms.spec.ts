import { queryDatabase } from '../../support/database';
import { ForeignAccountDevice, expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import { encodeBase64urlJson } from '../../support/device/keys';
import { SessionBodyBuilder } from '../../support/device/session-body-builder';
import { expectViolationPaths } from '../../support/problems';
import { Service } from '../../support/service';

type MalformedCiphertext = [what: string, make: (session: SessionBodyBuilder) => string];

const replaceJwePart = (jwe: string, at: number, text: string) => jwe.split('.').with(at, text).join('.');

const METADATA: MalformedCiphertext[] = [
  ['no JWE', () => 'hello'],
  ['four parts', (s) => s.encryptMetadata(1).split('.').slice(0, 4).join('.')],
  ['six parts', (s) => `${s.encryptMetadata(1)}.`],
  ['a header that is no JSON', (s) => replaceJwePart(s.encryptMetadata(1), 0, 'AAAA')],
  ['a header that is no object', (s) => replaceJwePart(s.encryptMetadata(1), 0, encodeBase64urlJson([]))],
  ['characters outside base64url', (s) => replaceJwePart(s.encryptMetadata(1), 3, 'a+b=')],
  ['a short IV', (s) => replaceJwePart(s.encryptMetadata(1), 2, 'AAAA')],
  ['a short tag', (s) => replaceJwePart(s.encryptMetadata(1), 4, 'AAAA')],
  ['an encrypted key', (s) => replaceJwePart(s.encryptMetadata(1), 1, 'AAAA')],
  ['another alg', (s) => s.replaceMetadataHeader(s.buildMetadataHeader({ alg: 'A256KW' }))],
  ['another enc', (s) => s.replaceMetadataHeader(s.buildMetadataHeader({ enc: 'A128GCM' }))],
  ['zip', (s) => s.replaceMetadataHeader(s.buildMetadataHeader({ zip: 'DEF' }))],
  ['crit', (s) => s.replaceMetadataHeader(s.buildMetadataHeader({ crit: ['svc'] }))],
  ['no cty', (s) => s.replaceMetadataHeader(s.buildMetadataHeader({ cty: undefined }))],
  ['an empty cty', (s) => s.replaceMetadataHeader(s.buildMetadataHeader({ cty: '' }))],
  ['no kid', (s) => s.replaceMetadataHeader(s.buildMetadataHeader({ kid: undefined }))],
  ['another kid', (s) => s.encryptMetadata(1, {}, 'another-key')],
  ['no svc', (s) => s.replaceMetadataHeader(s.buildMetadataHeader({ svc: undefined }))],
  ['a null svc', (s) => s.replaceMetadataHeader(s.buildMetadataHeader({ svc: null }))],
  ['another account', (s) => s.encryptMetadata(1, { a: 'acc_00000000000000000000000000' })],
  ['another session', (s) => s.encryptMetadata(1, { s: 'another tag' })],
  ['another version', (s) => s.encryptMetadata(2)],
  ['a version in a string', (s) => s.encryptMetadata(1, { m: '1' })],
  ['a message’s place', (s) => s.encryptMetadata(1, { m: undefined, l: 'local', r: 'user' })],
  ['more in its place', (s) => s.encryptMetadata(1, { l: 'local' })],
];

const sealWithHeader = (header: object) => (s: SessionBodyBuilder) =>
  replaceJwePart(s.dataKey.sealed, 0, encodeBase64urlJson(header));
const EPK = { kty: 'OKP', crv: 'X25519', x: 'A'.repeat(43) };

const SEALED_KEYS: MalformedCiphertext[] = [
  ['no JWE', () => 'hello'],
  ['content in its place', (s) => s.encryptMetadata(1)],
  ['another alg', sealWithHeader({ alg: 'ECDH-ES', enc: 'A256GCM', epk: EPK })],
  ['another enc', sealWithHeader({ alg: 'ECDH-ES+A256KW', enc: 'A256CBC-HS512', epk: EPK })],
  ['zip', sealWithHeader({ alg: 'ECDH-ES+A256KW', enc: 'A256GCM', epk: EPK, zip: 'DEF' })],
  ['p2c', sealWithHeader({ alg: 'ECDH-ES+A256KW', enc: 'A256GCM', epk: EPK, p2c: 1 })],
  ['more than 4096 characters', (s) => replaceJwePart(s.dataKey.sealed, 3, 'A'.repeat(4_096))],
];

describe('the ciphertexts of a session', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let host: ForeignDevice;
  let session: SessionBodyBuilder;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    host = await ada.pairDevice('machine');
  });
  beforeEach(() => {
    session = new SessionBodyBuilder(ada);
  });
  afterAll(() => service?.stop());

  const create = (extra: object) => service.http.post('/v1/sessions', host.token, session.buildCreateBody(extra));

  async function expectNothingWritten(): Promise<void> {
    expect(await queryDatabase(service, 'SELECT 1 FROM sessions WHERE tag = $1', [session.tag])).toEqual([]);
  }

  it.each(METADATA)('are refused with metadata of %s, and nothing is written', async (_, make) => {
    expect(expectViolationPaths(await create({ metadata: make(session) }))).toEqual(['/metadata']);
    await expectNothingWritten();
  });

  it.each(SEALED_KEYS)('are refused with a sealed key of %s, and nothing is written', async (_, make) => {
    const { kid } = session.dataKey;
    expect(expectViolationPaths(await create({ dataKey: { kid, sealed: make(session) } }))).toEqual([
      '/dataKey/sealed',
    ]);
    await expectNothingWritten();
  });

  it.each([[''], ['k'.repeat(129)], ['a b'], ['schlüssel'], [7]])('are rejected with the key id %j', async (kid) => {
    const dataKey = { ...session.dataKey, kid };
    expect(expectViolationPaths(await create({ dataKey }))).toEqual(['/dataKey/kid']);
    await expectNothingWritten();
  });

  it('are both reported if both are invalid', async () => {
    const dataKey = { ...session.dataKey, sealed: 'x' };
    expect(expectViolationPaths(await create({ dataKey, metadata: 'y' })).sort()).toEqual([
      '/dataKey/sealed',
      '/metadata',
    ]);
  });

  it('are stored and returned unchanged', async () => {
    const metadata = session.encryptMetadata(1);
    const { data } = expectStatus(await create({ metadata }), 201);
    expect(data).toMatchObject({ metadata, dataKey: session.dataKey });
  });
});
