import { CallerDataKey, GrantedArtifact, GrantedSession, getGrantsPath } from '../../support/content/granted-session';
import { createReaderKey, sealWithJose } from '../../support/content/jose-keys';
import { queryDatabase } from '../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { listViolations } from '../../support/violations';
import { Service } from '../../support/service';

describe('key grants', () => {
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

  const list = async (path = getGrantsPath(session.resource)) =>
    expectStatus(await service.http.get(path, ada.token), 200).data as any[];

  const newApp = async (): Promise<string> => {
    const body = { name: 'an app', redirectUris: ['https://app.example/callback'] };
    return expectStatus(await service.http.post('/v1/developer/apps', ada.token, body), 201).data.clientId;
  };

  it('contain the id of the published key', async () => {
    const { data } = expectStatus(await service.http.get('/v1/key-grants/recipient', ada.token), 200);
    expect(data).toEqual({
      kid: expect.any(String),
      publicKey: { kty: 'OKP', crv: 'X25519', x: expect.any(String) },
    });
    const machine = await ada.pairDevice('machine');
    expect(expectStatus(await service.http.get('/v1/key-grants/recipient', machine.token), 200).data).toEqual(data);
  });

  it('to the service are records without the sealed key', async () => {
    const { kid } = expectStatus(await service.http.get('/v1/key-grants/recipient', ada.token), 200).data;
    const { id: tokenId } = await ada.createToken(['sessions:content']);
    const expiresAt = Date.now() + 60_000;
    const httpResponse = await session.grantToService({ tokenId, expiresAt });
    expect(httpResponse.status).toBe(201);
    expect(httpResponse.body).toEqual({
      data: {
        id: expect.stringMatching(/^grt_/),
        object: 'key_grant',
        sessionId: session.id,
        artifactId: null,
        recipient: 'service',
        recipientKeyId: kid,
        tokenId,
        appId: null,
        createdAt: expect.any(Number),
        expiresAt,
      },
    });
    expect(await list()).toEqual([httpResponse.body.data]);
  });

  it.each(['X25519', 'P-256'] as const)('to a caller’s key on %s name it by its thumbprint', async (crv) => {
    const { publicKey } = await createReaderKey(crv);
    const { data } = expectStatus(await session.key.grantToReader(publicKey, session.resource), 201);
    expect(data).toMatchObject({ recipient: publicKey, tokenId: null, expiresAt: null });
    expect(data.recipientKeyId).toMatch(/^[\w-]{43}$/);
  });

  it('to a caller’s key contain its kid, if it has one', async () => {
    const { publicKey } = await createReaderKey('X25519', 'reader-1');
    const { data } = expectStatus(await session.key.grantToReader({ ...publicKey, use: 'enc' }, session.resource), 201);
    expect(data.recipient).toEqual(publicKey);
    expect(data.recipientKeyId).toBe('reader-1');
  });

  it('exist for artifacts as well', async () => {
    const artifact = await GrantedArtifact.createArtifact(ada, 'a report');
    const { data } = expectStatus(await artifact.grantToService(), 201);
    expect(data).toMatchObject({ sessionId: null, artifactId: artifact.id });
    expect(await list(getGrantsPath(artifact.resource))).toEqual([data]);
    const path = `${getGrantsPath(artifact.resource)}/${data.id}`;
    expect((await service.http.delete(path, ada.token)).status).toBe(204);
    expect(await list(getGrantsPath(artifact.resource))).toEqual([]);
  });

  it('replace an earlier one of the same recipient, token and app, and keep its id', async () => {
    const { id: tokenId } = await ada.createToken(['sessions:content']);
    const { publicKey } = await createReaderKey('X25519');
    const until = { expiresAt: Date.now() + 3_600_000 };
    for (const one of [{}, { tokenId }]) {
      const first = expectStatus(await session.grantToService(one), 201).data;
      expect(expectStatus(await session.grantToService(one), 200).data).toEqual(first);
      expect(expectStatus(await session.grantToService({ ...one, ...until }), 200).data).toEqual({
        ...first,
        ...until,
      });
      const own = expectStatus(await session.key.grantToReader(publicKey, session.resource, one), 201).data;
      const renamed = { ...publicKey, kid: 'other' };
      expect(
        expectStatus(await session.key.grantToReader(renamed, session.resource, { ...one, ...until }), 200).data,
      ).toEqual({ ...own, ...until, recipient: renamed, recipientKeyId: 'other' });
      const { publicKey: another } = await createReaderKey('X25519');
      expectStatus(await session.key.grantToReader(another, session.resource, one), 201);
    }
    expect(await list()).toHaveLength(2 * 3);
  });

  it('correct a wrong key for a caller’s key, which the service can’t check', async () => {
    const { token, id: tokenId } = await ada.createToken(['sessions:content']);
    const { publicKey } = await createReaderKey('X25519');
    const message = await session.appendMessage('a text');
    const wrong = await sealWithJose(publicKey, new CallerDataKey(ada).jwk);
    const post = (sealedKey: string) =>
      session.key.postGrant(session.resource, { recipient: publicKey, sealedKey, tokenId });
    const { data: first } = expectStatus(await post(wrong), 201);
    const right = await sealWithJose(publicKey, session.key.jwk);
    expect(expectStatus(await post(right), 200).data).toEqual(first);
    const { key } = expectStatus(await session.readMessage(message, token), 200).data;
    expect(key.sealed).toBe(right);
  });

  it('of one recipient from an earlier release become one with the next', async () => {
    const { data: first } = expectStatus(await session.grantToService(), 201);
    const copy = `INSERT INTO key_grants (id, account_id, session_id, recipient_key_id, recipient_thumbprint,
        sealed_key, created_at, expires_at)
      SELECT 'grt_01m7xsah51f6ctt8c84t8wbh7e', account_id, session_id, recipient_key_id, recipient_thumbprint,
             sealed_key, created_at - interval '1 hour', now() + interval '1 hour' FROM key_grants WHERE id = $1`;
    await queryDatabase(service, copy, [first.id]);
    expect(await list()).toHaveLength(2);
    expect(expectStatus(await session.grantToService(), 200).data).toEqual(first);
    expect(await list()).toEqual([first]);
  });

  it('are created once by ten concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => session.grantToService()));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(9).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
  });

  it('are limited to 200 per session, and one that has ended makes room', async () => {
    const { accountId } = ada;
    await queryDatabase(
      service,
      `INSERT INTO key_grants
         (id, account_id, session_id, recipient, recipient_key_id, recipient_thumbprint, sealed_key, created_at)
       SELECT 'grt_' || md5($2 || i), $1, $2, '{}', 'k', i::text, 's', now() FROM generate_series(1, 199) i`,
      [accountId, session.id],
    );
    const { data } = expectStatus(await session.grantToService(), 201);
    const { publicKey } = await createReaderKey('X25519');
    const over = await session.key.grantToReader(publicKey, session.resource);
    expect([over.status, over.body.code, over.body.limit]).toEqual([403, 'plan_limit_exceeded', 200]);
    expect(expectStatus(await session.grantToService(), 200).data).toEqual(data);
    await queryDatabase(
      service,
      `UPDATE key_grants SET expires_at = created_at WHERE session_id = $1 AND recipient_thumbprint = '1'`,
      [session.id],
    );
    expectStatus(await session.key.grantToReader(publicKey, session.resource), 201);
  });

  it('are listed in pages', async () => {
    for (let i = 1; i <= 3; i++) {
      const { publicKey } = await createReaderKey('X25519');
      expectStatus(await session.key.grantToReader(publicKey, session.resource), 201);
    }
    const path = `${getGrantsPath(session.resource)}?limit=2`;
    const first = expectStatus(await service.http.get(path, ada.token), 200);
    const rest = expectStatus(await service.http.get(`${path}&cursor=${first.nextCursor}`, ada.token), 200);
    expect([...first.data, ...rest.data]).toEqual(await list());
    expect(rest.nextCursor).toBeNull();
  });

  it('end with their expiry and with their token', async () => {
    const { id: tokenId } = await ada.createToken(['sessions:content']);
    expectStatus(await session.grantToService({ expiresAt: Date.now() + 60_000 }), 201);
    const bound = expectStatus(await session.grantToService({ tokenId }), 201).data;
    service.advanceClock(60_001);
    expect(await list()).toEqual([bound]);
    await service.http.delete(`/v1/account/external-tokens/${tokenId}`, ada.token);
    expect(await list()).toEqual([]);
  });

  it('end with their app', async () => {
    const app = await newApp();
    expectStatus(await session.grantToService({ appId: app }), 201);
    expect(await list()).toHaveLength(1);
    expect((await service.http.delete(`/v1/developer/apps/${app}`, ada.token)).status).toBe(204);
    expect(await list()).toEqual([]);
  });

  it('are rejected for a disabled app', async () => {
    const app = await newApp();
    expectStatus(await service.http.post(`/v1/developer/apps/${app}/disable`, ada.token, undefined), 200);
    expect(listViolations(await session.grantToService({ appId: app }))).toEqual([
      'body,/appId,not_allowed'.split(','),
    ]);
  });

  it('end with their session', async () => {
    expectStatus(await session.grantToService(), 201);
    await service.http.delete(`/v1/sessions/${session.id}`, ada.token);
    expect((await service.http.get(getGrantsPath(session.resource), ada.token)).status).toBe(404);
  });

  describe('by a machine', () => {
    it('can be created by a machine only for records that it hosts', async () => {
      const machine = await ada.pairDevice('machine');
      const hosted = await GrantedSession.createSession(ada, machine);
      const { publicKey } = await createReaderKey('X25519');
      const body = { recipient: publicKey, sealedKey: await sealWithJose(publicKey, hosted.key.jwk) };
      const { data } = expectStatus(await hosted.key.postGrant(hosted.resource, body, machine), 201);
      const path = getGrantsPath(hosted.resource);
      expect(expectStatus(await service.http.get(path, machine.token), 200).data).toEqual([data]);
      expect((await service.http.delete(`${path}/${data.id}`, machine.token)).status).toBe(204);

      const refused = await session.key.postGrant(session.resource, body, machine);
      expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
      const other = expectStatus(await session.grantToService(), 201).data;
      for (const answer of [
        await service.http.get(getGrantsPath(session.resource), machine.token),
        await service.http.delete(`${getGrantsPath(session.resource)}/${other.id}`, machine.token),
      ]) {
        expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
      }
      expect(await list()).toEqual([other]);
    });
  });

  it('of other accounts are 404', async () => {
    const eve = await ForeignAccountDevice.signUp(service.http);
    const { data } = expectStatus(await session.grantToService(), 201);
    const path = getGrantsPath(session.resource);
    const answers = [
      await service.http.get(path, eve.token),
      await service.http.delete(`${path}/${data.id}`, eve.token),
      await service.http.post(path, eve.token, { recipient: 'service', sealedKey: 'x' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(await list()).toEqual([data]);
  });

  it('can be deleted only under their own session', async () => {
    const other = await GrantedSession.createSession(ada);
    const { data } = expectStatus(await session.grantToService(), 201);
    const path = `${getGrantsPath(other.resource)}/${data.id}`;
    expect((await service.http.delete(path, ada.token)).status).toBe(404);
    expect(await list()).toEqual([data]);
  });

  describe('with a binding that cannot be', () => {
    it.each<[string, (ids: { dead: string; foreign: string }) => object, string]>([
      ['a time in the past', () => ({ expiresAt: Date.now() - 1 }), '/expiresAt'],
      ['a time that is none', () => ({ expiresAt: 1.5 }), '/expiresAt'],
      ['a time beyond all times', () => ({ expiresAt: 8_640_000_000_000_001 }), '/expiresAt'],
      ['an unknown token', () => ({ tokenId: 'tok_unknown' }), '/tokenId'],
      ['a token id with a NUL', () => ({ tokenId: 'tok_\0' }), '/tokenId'],
      ['a revoked token', ({ dead }) => ({ tokenId: dead }), '/tokenId'],
      ['another account’s token', ({ foreign }) => ({ tokenId: foreign }), '/tokenId'],
      ['a token and an app', ({ dead }) => ({ tokenId: dead, appId: 'svc_oapp_x' }), '/appId'],
      ['an unknown app', () => ({ appId: 'svc_oapp_unknown' }), '/appId'],
    ])('are rejected: %s', async (_, terms, path) => {
      const dead = (await ada.createToken(['sessions:content'])).id;
      await service.http.delete(`/v1/account/external-tokens/${dead}`, ada.token);
      const eve = await ForeignAccountDevice.signUp(service.http);
      const foreign = (await eve.createToken(['sessions:content'])).id;
      const httpResponse = await session.grantToService(terms({ dead, foreign }));
      expect([httpResponse.status, httpResponse.body.code]).toEqual([400, 'invalid_request']);
      expect(listViolations(httpResponse).map(([, pointer]) => pointer)).toContain(path);
      expect(await list()).toEqual([]);
    });
  });

  describe('for a recipient that is none', () => {
    const bad: [string, (keys: Awaited<ReturnType<typeof createReaderKey>>) => unknown][] = [
      ['a private key', ({ privateKey }) => privateKey],
      ['a signing key', ({ publicKey }) => ({ ...publicKey, crv: 'Ed25519' })],
      ['another use', ({ publicKey }) => ({ ...publicKey, use: 'sig' })],
      ['another algorithm', ({ publicKey }) => ({ ...publicKey, alg: 'ECDH-ES' })],
      ['a member more', ({ publicKey }) => ({ ...publicKey, x5u: 'https://example.org' })],
      ['a coordinate too short', ({ publicKey }) => ({ ...publicKey, x: 'AAAA' })],
      ['a point that is on no curve', () => ({ kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43) })],
      ['a word', () => 'everybody'],
      ['nothing', () => undefined],
      ['a list', () => []],
    ];
    it.each(bad)('are rejected: %s', async (_, recipient) => {
      const keys = await createReaderKey('X25519');
      const sealedKey = await sealWithJose(keys.publicKey, session.key.jwk);
      const httpResponse = await session.key.postGrant(session.resource, {
        recipient: recipient(keys),
        sealedKey,
      });
      expect(listViolations(httpResponse).map(([, pointer]) => pointer)).toContain('/recipient');
      expect(await list()).toEqual([]);
    });
  });
});
