import { GrantedSession, grantsPath } from '../../support/content/granted-session';
import { newReaderKey, seal } from '../../support/content/jose-keys';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

describe('key grants that do not open to the right key', () => {
  let service: Service;
  let ada: AccountDevice;
  let session: GrantedSession;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
    ada = await AccountDevice.signUp(service.http);
  });
  beforeEach(async () => {
    session = await GrantedSession.open(ada);
  });
  afterAll(() => service?.stop());

  const list = async () => ok(await service.http.get(grantsPath(session.resource), ada.token), 200).data as any[];
  const publishedKey = async () => ok(await service.http.get('/v1/key-grants/recipient', ada.token), 200).data;
  const mismatched = async (answer: Promise<any>) => {
    const { status, body } = await answer;
    expect([status, body.code]).toEqual([422, 'grant_key_mismatch']);
    expect(await list()).toEqual([]);
  };

  it.each<[string, (own: GrantedSession) => object]>([
    ['another host', () => ({ aud: 'https://elsewhere.example' })],
    ['another account', () => ({ accountId: 'acc_01m7xsah51f6ctt8c84t8wbh7e' })],
    ['another session', () => ({ sessionId: 'ses_01m7xsah51f6ctt8c84t8wbh7e' })],
    ['an artifact as well', () => ({ artifactId: 'art_01m7xsah51f6ctt8c84t8wbh7e' })],
    ['a token that is not asked for', () => ({ tokenId: 'tok_01m7xsah51f6ctt8c84t8wbh7e' })],
    ['an app that is not asked for', () => ({ appId: 'svc_oapp_x' })],
    ['another time', () => ({ expiresAt: Date.now() + 1e9 })],
    ['a time as text', () => ({ expiresAt: '0' })],
    ['no host', () => ({ aud: undefined })],
    ['another key id', (own) => ({ key: { ...own.key.jwk, kid: 'another' } })],
    ['no key id', (own) => ({ key: { ...own.key.jwk, kid: undefined } })],
    ['a short key', (own) => ({ key: { ...own.key.jwk, k: 'AAAA' } })],
    ['no key', () => ({ key: undefined })],
    ['a key of another kind', (own) => ({ key: { ...own.key.jwk, kty: 'OKP' } })],
  ])('are refused: what is sealed says %s', async (_, payload) => {
    await mismatched(session.grant({}, payload(session)));
  });

  it('are refused when they bind less than is asked', async () => {
    const { id: tokenId } = await ada.createToken(['sessions:content']);
    await mismatched(session.grant({ tokenId }, { tokenId: null }));
    await mismatched(session.grant({ expiresAt: Date.now() + 3_600_000 }, { expiresAt: null }));
  });

  it('are refused when they are sealed to another key, with another algorithm, or are no JWE', async () => {
    const { publicKey } = await publishedKey();
    const { publicKey: other } = await newReaderKey('X25519');
    const payload = session.key.payload(session.resource);
    for (const sealedKey of [
      await seal(other, payload),
      await seal(publicKey, payload, { enc: 'A256CBC-HS512' }),
      await seal(publicKey, payload, { alg: 'ECDH-ES+A128KW' }),
      await seal(publicKey, 'not an object'),
      (await seal(publicKey, payload)).replace(/.(.{21})$/, (tag, rest) => (tag[0] === 'A' ? 'B' : 'A') + rest),
      'not.a.jwe',
    ]) {
      await mismatched(session.key.post(session.resource, { recipient: 'service', sealedKey }));
    }
  });

  it('are refused when a caller’s is sealed on another curve, names another key, or is no JWE', async () => {
    const { publicKey } = await newReaderKey('X25519', 'reader-1');
    const { publicKey: p256 } = await newReaderKey('P-256');
    for (const sealedKey of [
      await seal(p256, session.key.jwk),
      await seal(publicKey, session.key.jwk, { kid: 'reader-2' }),
      await seal(publicKey, session.key.jwk, { enc: 'A128GCM' }),
      'not.a.jwe',
    ]) {
      await mismatched(session.key.post(session.resource, { recipient: publicKey, sealedKey }));
    }
  });
});
