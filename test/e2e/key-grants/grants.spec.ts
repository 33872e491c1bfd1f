import { GrantedArtifact, GrantedSession, grantsPath } from '../../support/content/granted-session';
import { newReaderKey, seal } from '../../support/content/jose-keys';
import { query } from '../../support/database';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { faultsOf } from '../../support/faults';
import { Service } from '../../support/service';

describe('key grants', () => {
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

  const list = async (path = grantsPath(session.resource)) =>
    ok(await service.http.get(path, ada.token), 200).data as any[];

  const newApp = async (): Promise<string> => {
    const body = { name: 'an app', redirectUris: ['https://app.example/callback'] };
    return ok(await service.http.post('/v1/developer/apps', ada.token, body), 201).data.clientId;
  };

  it('name the key that the service publishes', async () => {
    const { data } = ok(await service.http.get('/v1/key-grants/recipient', ada.token), 200);
    expect(data).toEqual({
      kid: expect.any(String),
      publicKey: { kty: 'OKP', crv: 'X25519', x: expect.any(String) },
    });
    const machine = await ada.adopt('machine');
    expect(ok(await service.http.get('/v1/key-grants/recipient', machine.token), 200).data).toEqual(data);
  });

  it('to the service are records without the key', async () => {
    const { kid } = ok(await service.http.get('/v1/key-grants/recipient', ada.token), 200).data;
    const { id: tokenId } = await ada.createToken(['sessions:content']);
    const expiresAt = Date.now() + 60_000;
    const answer = await session.grant({ tokenId, expiresAt });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
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
    expect(await list()).toEqual([answer.body.data]);
  });

  it.each(['X25519', 'P-256'] as const)('to a caller’s key on %s name it by its thumbprint', async (crv) => {
    const { publicKey } = await newReaderKey(crv);
    const { data } = ok(await session.key.grantTo(publicKey, session.resource), 201);
    expect(data).toMatchObject({ recipient: publicKey, tokenId: null, expiresAt: null });
    expect(data.recipientKeyId).toMatch(/^[\w-]{43}$/);
  });

  it('to a caller’s key name it by its kid where it has one', async () => {
    const { publicKey } = await newReaderKey('X25519', 'reader-1');
    const { data } = ok(await session.key.grantTo({ ...publicKey, use: 'enc' }, session.resource), 201);
    expect(data.recipient).toEqual(publicKey);
    expect(data.recipientKeyId).toBe('reader-1');
  });

  it('are given on artifacts as well', async () => {
    const artifact = await GrantedArtifact.keep(ada, 'a report');
    const { data } = ok(await artifact.grant(), 201);
    expect(data).toMatchObject({ sessionId: null, artifactId: artifact.id });
    expect(await list(grantsPath(artifact.resource))).toEqual([data]);
    const path = `${grantsPath(artifact.resource)}/${data.id}`;
    expect((await service.http.delete(path, ada.token)).status).toBe(204);
    expect(await list(grantsPath(artifact.resource))).toEqual([]);
  });

  it('given again are the standing one, whatever they are bound to', async () => {
    const { id: tokenId } = await ada.createToken(['sessions:content']);
    const { publicKey } = await newReaderKey('X25519');
    const terms = [{}, { tokenId }, { expiresAt: Date.now() + 3_600_000 }, { tokenId, expiresAt: Date.now() + 60_000 }];
    for (const one of terms) {
      const first = ok(await session.grant(one), 201).data;
      expect(ok(await session.grant(one), 200).data).toEqual(first);
      const own = ok(await session.key.grantTo(publicKey, session.resource, one), 201).data;
      expect(ok(await session.key.grantTo({ ...publicKey, kid: 'other' }, session.resource, one), 200).data).toEqual(
        own,
      );
    }
    expect(await list()).toHaveLength(2 * terms.length);
  });

  it('given ten times at once are one', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => session.grant()));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(9).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
  });

  it('are 200 at most on a session, standing or not', async () => {
    const { accountId } = ada;
    await query(
      service,
      `INSERT INTO key_grants (id, account_id, session_id, recipient_key_id, recipient_thumbprint, sealed_key, created_at)
       SELECT 'grt_' || md5($2 || i), $1, $2, 'k', i::text, 's', now() FROM generate_series(1, 199) i`,
      [accountId, session.id],
    );
    const { data } = ok(await session.grant(), 201);
    const over = await session.grant({ expiresAt: Date.now() + 3_600_000 });
    expect([over.status, over.body.code, over.body.limit]).toEqual([403, 'plan_limit_exceeded', 200]);
    expect(ok(await session.grant(), 200).data).toEqual(data);
  });

  it('are listed in pages', async () => {
    for (let i = 1; i <= 3; i++) ok(await session.grant({ expiresAt: Date.now() + i * 100_000 }), 201);
    const path = `${grantsPath(session.resource)}?limit=2`;
    const first = ok(await service.http.get(path, ada.token), 200);
    const rest = ok(await service.http.get(`${path}&cursor=${first.nextCursor}`, ada.token), 200);
    expect([...first.data, ...rest.data]).toEqual(await list());
    expect(rest.nextCursor).toBeNull();
  });

  it('end with their time and with their token', async () => {
    const { id: tokenId } = await ada.createToken(['sessions:content']);
    ok(await session.grant({ expiresAt: Date.now() + 60_000 }), 201);
    const bound = ok(await session.grant({ tokenId }), 201).data;
    service.advance(60_001);
    expect(await list()).toEqual([bound]);
    await service.http.delete(`/v1/account/external-tokens/${tokenId}`, ada.token);
    expect(await list()).toEqual([]);
  });

  it('end with their app', async () => {
    const app = await newApp();
    ok(await session.grant({ appId: app }), 201);
    expect(await list()).toHaveLength(1);
    expect((await service.http.delete(`/v1/developer/apps/${app}`, ada.token)).status).toBe(204);
    expect(await list()).toEqual([]);
  });

  it('are not made for an app that is disabled', async () => {
    const app = await newApp();
    ok(await service.http.post(`/v1/developer/apps/${app}/disable`, ada.token, undefined), 200);
    expect(faultsOf(await session.grant({ appId: app }))).toEqual(['body,/appId,not_allowed'.split(',')]);
  });

  it('end with their session', async () => {
    ok(await session.grant(), 201);
    await service.http.delete(`/v1/sessions/${session.id}`, ada.token);
    expect((await service.http.get(grantsPath(session.resource), ada.token)).status).toBe(404);
  });

  describe('by a machine', () => {
    it('are given for what it hosts alone', async () => {
      const machine = await ada.adopt('machine');
      const hosted = await GrantedSession.open(ada, machine);
      const { publicKey } = await newReaderKey('X25519');
      const body = { recipient: publicKey, sealedKey: await seal(publicKey, hosted.key.jwk) };
      const { data } = ok(await hosted.key.post(hosted.resource, body, machine), 201);
      const path = grantsPath(hosted.resource);
      expect(ok(await service.http.get(path, machine.token), 200).data).toEqual([data]);
      expect((await service.http.delete(`${path}/${data.id}`, machine.token)).status).toBe(204);

      const refused = await session.key.post(session.resource, body, machine);
      expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
      const other = ok(await session.grant(), 201).data;
      for (const answer of [
        await service.http.get(grantsPath(session.resource), machine.token),
        await service.http.delete(`${grantsPath(session.resource)}/${other.id}`, machine.token),
      ]) {
        expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
      }
      expect(await list()).toEqual([other]);
    });
  });

  it('of other accounts do not exist', async () => {
    const eve = await AccountDevice.signUp(service.http);
    const { data } = ok(await session.grant(), 201);
    const path = grantsPath(session.resource);
    const answers = [
      await service.http.get(path, eve.token),
      await service.http.delete(`${path}/${data.id}`, eve.token),
      await service.http.post(path, eve.token, { recipient: 'service', sealedKey: 'x' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(await list()).toEqual([data]);
  });

  it('are deleted under their own session alone', async () => {
    const other = await GrantedSession.open(ada);
    const { data } = ok(await session.grant(), 201);
    const path = `${grantsPath(other.resource)}/${data.id}`;
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
    ])('are refused: %s', async (_, terms, path) => {
      const dead = (await ada.createToken(['sessions:content'])).id;
      await service.http.delete(`/v1/account/external-tokens/${dead}`, ada.token);
      const eve = await AccountDevice.signUp(service.http);
      const foreign = (await eve.createToken(['sessions:content'])).id;
      const answer = await session.grant(terms({ dead, foreign }));
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
      expect(faultsOf(answer).map(([, pointer]) => pointer)).toContain(path);
      expect(await list()).toEqual([]);
    });
  });

  describe('for a recipient that is none', () => {
    const bad: [string, (keys: Awaited<ReturnType<typeof newReaderKey>>) => unknown][] = [
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
    it.each(bad)('are refused: %s', async (_, recipient) => {
      const keys = await newReaderKey('X25519');
      const sealedKey = await seal(keys.publicKey, session.key.jwk);
      const answer = await session.key.post(session.resource, { recipient: recipient(keys), sealedKey });
      expect(faultsOf(answer).map(([, pointer]) => pointer)).toContain('/recipient');
      expect(await list()).toEqual([]);
    });
  });
});
