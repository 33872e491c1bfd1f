import { randomBytes, webcrypto } from 'node:crypto';
import { compactDecrypt, importJWK, type JWK } from 'jose';
import { GrantedArtifact, GrantedSession, grantsPath } from '../../support/content/granted-session';
import { newReaderKey } from '../../support/content/jose-keys';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import type { Answer } from '../../support/http-client';
import { Service } from '../../support/service';

const TEXT = 'Grüße aus der Sitzung 🙂\n';

describe('content', () => {
  let service: Service;
  let ada: AccountDevice;
  let token: string;
  let tokenId: string;
  let session: GrantedSession;
  let message: string;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
    ada = await AccountDevice.signUp(service.http);
    const scopes = ['sessions:read', 'sessions:content', 'artifacts:read', 'artifacts:content'];
    ({ token, id: tokenId } = await ada.createToken(scopes));
  });
  beforeEach(async () => {
    session = await GrantedSession.open(ada);
    message = await session.say(TEXT, 'text/markdown');
  });
  afterAll(() => service?.stop());

  const refused = ({ status, body, headers }: Answer) => {
    expect([status, body.code]).toEqual([403, 'no_content_grant']);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(JSON.stringify(body)).not.toContain('Grüße');
  };

  describe('of a message', () => {
    it('is plaintext through a grant to the service', async () => {
      const { id: grantId } = ok(await session.grant(), 201).data;
      const answer = await session.read(message, token);
      expect(ok(answer, 200)).toEqual({
        data: {
          id: message,
          sessionId: session.id,
          encoding: 'plaintext',
          mediaType: 'text/markdown',
          content: TEXT,
          contentEncoding: 'utf8',
          grantId,
        },
      });
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('etag')).toBeNull();
    });

    it('is base64 where it is no UTF-8, byte for byte', async () => {
      ok(await session.grant(), 201);
      const bytes = Buffer.concat([Buffer.from([0xff, 0xfe, 0x00]), randomBytes(1_000)]);
      const { data } = ok(await session.read(await session.say(bytes, 'octet-stream'), token), 200);
      expect(data).toMatchObject({ contentEncoding: 'base64', mediaType: 'application/octet-stream' });
      expect(Buffer.from(data.content, 'base64').equals(bytes)).toBe(true);
    });

    it('may be empty, and may hold a NUL and a byte order mark', async () => {
      ok(await session.grant(), 201);
      for (const text of ['', '\0', '\ufeffmarked']) {
        expect(ok(await session.read(await session.say(text), token), 200).data.content).toBe(text);
      }
    });

    it('is whole where characters and control characters stand at any boundary', async () => {
      ok(await session.grant(), 201);
      const text = `${'\u0001'.repeat(49_000)}a${'🙂'.repeat(30_000)}${'"\\\n'.repeat(10_000)}`;
      const read = ok(await session.read(await session.say(text), token), 200).data;
      expect([read.contentEncoding, read.content === text]).toEqual(['utf8', true]);
      const bytes = Buffer.concat([Buffer.from([0xff]), randomBytes(200_000)]);
      const raw = ok(await session.read(await session.say(bytes), token), 200).data;
      expect(Buffer.from(raw.content, 'base64').equals(bytes)).toBe(true);
    });

    it('asked for and not waited for leaves the service well', async () => {
      ok(await session.grant(), 201);
      const large = await session.say('x'.repeat(250_000));
      const path = `${service.url}/external/v1/sessions/${session.id}/messages/${large}/content`;
      const headers = { Authorization: `Bearer ${token}`, 'Accept-Encoding': 'identity' };
      for (let round = 0; round < 5; round++) {
        const leaving = new AbortController();
        const response = await fetch(path, { headers, signal: leaving.signal });
        leaving.abort();
        expect(response.status).toBe(200);
      }
      expect((await session.read(large, token)).status).toBe(200);
      expect(service.logs.filter((line) => /unexpected error|"level":[56]0/.test(line))).toEqual([]);
    });

    it.each(['X25519', 'P-256'] as const)('is sealed to a caller’s own key on %s', async (crv) => {
      const reader = await newReaderKey(crv, 'reader-1');
      const { id: grantId } = ok(await session.key.grantTo(reader.publicKey, session.resource), 201).data;
      const { data } = ok(await session.read(message, token), 200);
      expect(data).toEqual({
        id: message,
        sessionId: session.id,
        encoding: 'sealed',
        content: expect.any(String),
        key: { sealed: expect.any(String), recipientKeyId: 'reader-1' },
        grantId,
      });
      const opened = await compactDecrypt(data.key.sealed, await importJWK(reader.privateKey, 'ECDH-ES+A256KW'));
      const { k } = JSON.parse(new TextDecoder().decode(opened.plaintext)) as JWK;
      const { plaintext, protectedHeader } = await compactDecrypt(data.content, Buffer.from(k!, 'base64url'));
      expect(new TextDecoder().decode(plaintext)).toBe(TEXT);
      expect(protectedHeader).toMatchObject({ kid: session.key.kid, svc: { s: session.tag } });
    });

    it('is what the caller chooses where both are granted, plaintext by default', async () => {
      const { publicKey } = await newReaderKey('X25519');
      const own = ok(await session.key.grantTo(publicKey, session.resource), 201).data.id;
      const ofService = ok(await session.grant(), 201).data.id;
      const read = async (query: string) => ok(await session.read(message, token, query), 200).data;
      expect(await read('')).toMatchObject({ encoding: 'plaintext', grantId: ofService });
      expect(await read('?encoding=plaintext')).toMatchObject({ encoding: 'plaintext', grantId: ofService });
      expect(await read('?encoding=sealed')).toMatchObject({ encoding: 'sealed', grantId: own });
    });

    it('is sealed for the token that a grant names, before those for all tokens', async () => {
      const [own, all] = [await newReaderKey('X25519', 'own'), await newReaderKey('X25519', 'all')];
      ok(await session.key.grantTo(own.publicKey, session.resource, { tokenId }), 201);
      ok(await session.key.grantTo(all.publicKey, session.resource), 201);
      const keyFor = async (bearer: string) =>
        ok(await session.read(message, bearer), 200).data.key.recipientKeyId as string;
      expect(await keyFor(token)).toBe('own');
      expect(await keyFor((await ada.createToken(['sessions:content'])).token)).toBe('all');
    });

    it('is refused in an encoding that is not granted, or that is none', async () => {
      ok(await session.grant(), 201);
      refused(await session.read(message, token, '?encoding=sealed'));
      expect((await session.read(message, token, '?encoding=base64')).status).toBe(400);
      const other = await GrantedSession.open(ada);
      const { publicKey } = await newReaderKey('X25519');
      ok(await other.key.grantTo(publicKey, other.resource), 201);
      refused(await other.read(await other.say(TEXT), token, '?encoding=plaintext'));
    });

    it('is refused without a grant', async () => refused(await session.read(message, token)));

    it('asks for the scope', async () => {
      ok(await session.grant(), 201);
      const { token: bare } = await ada.createToken(['sessions:read']);
      expect((await session.read(message, bare)).body).toMatchObject({
        code: 'insufficient_scope',
        required: ['sessions:content'],
      });
    });

    it('does not exist under another session, or in another account', async () => {
      const other = await GrantedSession.open(ada);
      for (const one of [session, other]) ok(await one.grant(), 201);
      expect((await other.read(message, token)).status).toBe(404);
      expect((await session.read('msg_unknown', token)).status).toBe(404);
      const eve = await AccountDevice.signUp(service.http);
      const { token: foreign } = await eve.createToken(['sessions:content']);
      expect((await session.read(message, foreign)).status).toBe(404);
    });

    it('stays as it was for who asks again with an ETag', async () => {
      ok(await session.grant(), 201);
      const path = `/external/v1/sessions/${session.id}/messages/${message}/content`;
      const answer = await service.http.get(path, token, { headers: { 'If-None-Match': '*' } });
      expect(ok(answer, 200).data.content).toBe(TEXT);
    });

    it('has a HEAD without the content', async () => {
      ok(await session.grant(), 201);
      const path = `/external/v1/sessions/${session.id}/messages/${message}/content`;
      const answer = await service.http.request('HEAD', path, { token });
      expect([answer.status, answer.body]).toEqual([200, null]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('etag')).toBeNull();
    });
  });

  describe('for whom the grant names', () => {
    it('is the token alone that it is bound to', async () => {
      ok(await session.grant({ tokenId }), 201);
      expect((await session.read(message, token)).status).toBe(200);
      const { token: other } = await ada.createToken(['sessions:content']);
      refused(await session.read(message, other));
    });

    it('is that token after it was rotated, too', async () => {
      const own = await ada.createToken(['sessions:content']);
      ok(await session.grant({ tokenId: own.id }), 201);
      const path = `/v1/account/external-tokens/${own.id}/rotate`;
      const { token: rotated } = ok(await service.http.post(path, ada.token, {}), 200);
      expect((await session.read(message, rotated)).status).toBe(200);
    });

    it('ends at its time', async () => {
      const expiresAt = Date.now() + 3_600_000;
      ok(await session.grant({ expiresAt }), 201);
      const real = Date.now();
      jest.spyOn(Date, 'now').mockReturnValue(expiresAt - 1);
      const before = await session.read(message, token);
      jest.spyOn(Date, 'now').mockReturnValue(expiresAt);
      const after = await session.read(message, token);
      jest.restoreAllMocks();
      expect(Date.now()).toBeGreaterThanOrEqual(real);
      expect(before.status).toBe(200);
      refused(after);
    });

    it('ends when the grant is revoked', async () => {
      const { id } = ok(await session.grant(), 201).data;
      expect((await session.read(message, token)).status).toBe(200);
      await service.http.delete(`${grantsPath(session.resource)}/${id}`, ada.token);
      refused(await session.read(message, token));
    });

    it('ends for a read that is under way', async () => {
      const { id } = ok(await session.grant(), 201).data;
      const decrypt = webcrypto.subtle.decrypt.bind(webcrypto.subtle);
      const spy = jest.spyOn(webcrypto.subtle, 'decrypt').mockImplementation(async (...given) => {
        const opened = await decrypt(...given);
        await service.http.delete(`${grantsPath(session.resource)}/${id}`, ada.token);
        return opened;
      });
      const answer = await session.read(message, token);
      expect(spy).toHaveBeenCalled();
      spy.mockRestore();
      refused(answer);
    });
  });

  describe('of an artifact', () => {
    it('is plaintext as JSON, and raw bytes for who asks for them', async () => {
      const bytes = Buffer.concat([Buffer.from([0xff]), randomBytes(5_000)]);
      const artifact = await GrantedArtifact.keep(ada, bytes, { cty: 'image/png' });
      const { id: grantId } = ok(await artifact.grant(), 201).data;
      expect(ok(await artifact.read(token), 200).data).toEqual({
        id: artifact.id,
        sessionId: null,
        encoding: 'plaintext',
        mediaType: 'image/png',
        content: bytes.toString('base64'),
        contentEncoding: 'base64',
        grantId,
      });
      const response = await fetch(`${service.url}/external/v1/artifacts/${artifact.id}/content`, {
        headers: { Authorization: `Bearer ${token}`, Accept: 'application/octet-stream' },
      });
      expect(response.headers.get('content-type')).toBe('application/octet-stream');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('content-disposition')).toBe('attachment');
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    });

    it('is not acceptable as raw bytes where it is granted sealed', async () => {
      const artifact = await GrantedArtifact.keep(ada, TEXT);
      const { publicKey } = await newReaderKey('X25519');
      ok(await artifact.key.grantTo(publicKey, artifact.resource), 201);
      const answer = await artifact.read(token, '', { Accept: 'application/octet-stream' });
      expect([answer.status, answer.body.code]).toEqual([406, 'not_acceptable']);
      expect(ok(await artifact.read(token), 200).data.encoding).toBe('sealed');
      const either = { Accept: 'application/octet-stream, application/json;q=0.5' };
      expect(ok(await artifact.read(token, '', either), 200).data.encoding).toBe('sealed');
    });

    it('is covered by its session’s grant where it has its session’s key', async () => {
      const same = await GrantedArtifact.keep(ada, TEXT, { session });
      const own = await GrantedArtifact.keep(ada, TEXT, {
        session,
        key: (await GrantedSession.open(ada)).key,
      });
      const { id: grantId } = ok(await session.grant(), 201).data;
      expect(ok(await same.read(token), 200).data).toMatchObject({
        sessionId: session.id,
        content: TEXT,
        grantId,
      });
      refused(await own.read(token));
    });

    it('is not opened by a grant of another artifact', async () => {
      const [one, other] = [await GrantedArtifact.keep(ada, TEXT), await GrantedArtifact.keep(ada, TEXT)];
      ok(await one.grant(), 201);
      refused(await other.read(token));
    });

    it('is of the newest version', async () => {
      const artifact = await GrantedArtifact.keep(ada, 'first');
      ok(await artifact.grant(), 201);
      ok(await artifact.replace('second', 1), 200);
      expect(ok(await artifact.read(token), 200).data.content).toBe('second');
    });
  });
});
