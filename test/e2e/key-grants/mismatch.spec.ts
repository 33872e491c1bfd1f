import { CallerDataKey, GrantedArtifact, GrantedSession, getGrantsPath } from '../../support/content/granted-session';
import { encryptWithJose, createReaderKey, sealWithJose } from '../../support/content/jose-keys';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

describe('mismatched key grants', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let session: GrantedSession;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  beforeEach(async () => {
    session = await GrantedSession.createSession(ada);
  });
  afterAll(() => service?.stop());

  const list = async () =>
    expectStatus(await service.http.get(getGrantsPath(session.resource), ada.token), 200).data as any[];
  const publishedKey = async () =>
    expectStatus(await service.http.get('/v1/key-grants/recipient', ada.token), 200).data;
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
  ])('are rejected if the payload has %s', async (_, payload) => {
    await mismatched(session.grantToService({}, payload(session)));
  });

  it('are rejected if the payload binds less than the request', async () => {
    const { id: tokenId } = await ada.createToken(['sessions:content']);
    await mismatched(session.grantToService({ tokenId }, { tokenId: null }));
    await mismatched(session.grantToService({ expiresAt: Date.now() + 3_600_000 }, { expiresAt: null }));
  });

  it('are rejected if they are sealed to another key or with another algorithm, or aren’t a JWE', async () => {
    const { publicKey } = await publishedKey();
    const { publicKey: other } = await createReaderKey('X25519');
    const payload = session.key.buildGrantPayload(session.resource);
    for (const sealedKey of [
      await sealWithJose(other, payload),
      await sealWithJose(publicKey, payload, { enc: 'A256CBC-HS512' }),
      await sealWithJose(publicKey, payload, { alg: 'ECDH-ES+A128KW' }),
      await sealWithJose(publicKey, 'not an object'),
      (await sealWithJose(publicKey, payload)).replace(/.(.{21})$/, (tag, rest) => (tag[0] === 'A' ? 'B' : 'A') + rest),
      'not.a.jwe',
    ]) {
      await mismatched(session.key.postGrant(session.resource, { recipient: 'service', sealedKey }));
    }
  });

  it('are rejected for a caller’s key with another curve or key id, or if they aren’t a JWE', async () => {
    const { publicKey } = await createReaderKey('X25519', 'reader-1');
    const { publicKey: p256 } = await createReaderKey('P-256');
    for (const sealedKey of [
      await sealWithJose(p256, session.key.jwk),
      await sealWithJose(publicKey, session.key.jwk, { kid: 'reader-2' }),
      await sealWithJose(publicKey, session.key.jwk, { enc: 'A128GCM' }),
      'not.a.jwe',
    ]) {
      await mismatched(session.key.postGrant(session.resource, { recipient: publicKey, sealedKey }));
    }
  });

  describe('whose data key is another of the same id', () => {
    const wrong = () => ({ key: { ...session.key.jwk, k: new CallerDataKey(ada).jwk.k } });

    it('are rejected if they don’t decrypt a message, before the right one is created', async () => {
      const { token } = await ada.createToken(['sessions:content']);
      await session.appendMessage('an earlier text');
      const message = await session.appendMessage('x'.repeat(200_000));
      await mismatched(session.grantToService({}, wrong()));
      expectStatus(await session.grantToService(), 201);
      expect(expectStatus(await session.readMessage(message, token), 200).data.content).toHaveLength(200_000);
      expect((await session.grantToService({}, wrong())).status).toBe(422);
      expectStatus(await session.readMessage(message, token), 200);
    });

    it('are rejected if they don’t decrypt the metadata', async () => {
      const metadata = await encryptWithJose(
        session.key.bytes,
        { kid: session.key.kid, cty: 'application/json', svc: { a: ada.accountId, s: session.tag, m: 2 } },
        '{}',
      );
      const path = `/v1/sessions/${session.id}`;
      expectStatus(await service.http.request('PATCH', path, { token: ada.token, json: { metadata } }), 200);
      const { status, body: problem } = await session.grantToService({}, wrong());
      expect([status, problem.code]).toEqual([422, 'grant_key_mismatch']);
      expectStatus(await session.grantToService(), 201);
    });

    it('are rejected if they don’t decrypt the artifact', async () => {
      const artifact = await GrantedArtifact.createArtifact(ada, 'a report');
      const payload = { key: { ...artifact.key.jwk, k: new CallerDataKey(ada).jwk.k } };
      const { status, body } = await artifact.key.grantToService(artifact.resource, {}, payload);
      expect([status, body.code]).toEqual([422, 'grant_key_mismatch']);
      expectStatus(await artifact.grantToService(), 201);
    });

    it('are accepted without ciphertext to check, and corrected by the next grant', async () => {
      const { token } = await ada.createToken(['sessions:content']);
      const { data: first } = expectStatus(await session.grantToService({}, wrong()), 201);
      const message = await session.appendMessage('a text');
      expect((await session.readMessage(message, token)).status).toBe(422);
      const again = await Promise.all(Array.from({ length: 5 }, () => session.grantToService()));
      for (const answer of again) expect(expectStatus(answer, 200).data).toEqual(first);
      expect(expectStatus(await session.readMessage(message, token), 200).data.content).toBe('a text');
      expect(await list()).toEqual([first]);
    });
  });
});
