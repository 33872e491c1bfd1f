import { randomBytes, webcrypto } from 'node:crypto';
import { compactDecrypt, importJWK, type JWK } from 'jose';
import { MessagesService } from '../../../src/modules/messages';
import { GrantedSession, getGrantsPath } from '../../support/content/granted-session';
import { createReaderKey } from '../../support/content/jose-keys';
import { queryDatabase } from '../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import type { HttpResponse } from '../../support/http-client';
import { Service } from '../../support/service';

const TEXT = 'Grüße aus der Sitzung 🙂\n';

describe('content', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;
  let tokenId: string;
  let session: GrantedSession;
  let message: string;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
    ada = await ForeignAccountDevice.signUp(service.http);
    const scopes = ['sessions:read', 'sessions:content', 'artifacts:read', 'artifacts:content'];
    ({ token, id: tokenId } = await ada.createToken(scopes));
  });
  beforeEach(async () => {
    session = await GrantedSession.createSession(ada);
    message = await session.appendMessage(TEXT, 'text/markdown');
  });
  afterAll(() => service?.stop());

  const refused = ({ status, body, headers }: HttpResponse) => {
    expect([status, body.code]).toEqual([403, 'no_content_grant']);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(JSON.stringify(body)).not.toContain('Grüße');
  };

  describe('of a message', () => {
    it('is plaintext through a grant to the service', async () => {
      const { id: grantId } = expectStatus(await session.grantToService(), 201).data;
      const httpResponse = await session.readMessage(message, token);
      expect(expectStatus(httpResponse, 200)).toEqual({
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
      expect(httpResponse.headers.get('cache-control')).toBe('no-store');
      expect(httpResponse.headers.get('etag')).toBeNull();
    });

    it('is base64 if it isn’t valid UTF-8', async () => {
      expectStatus(await session.grantToService(), 201);
      const bytes = Buffer.concat([Buffer.from([0xff, 0xfe, 0x00]), randomBytes(1_000)]);
      const { data } = expectStatus(
        await session.readMessage(await session.appendMessage(bytes, 'octet-stream'), token),
        200,
      );
      expect(data).toMatchObject({ contentEncoding: 'base64', mediaType: 'application/octet-stream' });
      expect(Buffer.from(data.content, 'base64').equals(bytes)).toBe(true);
    });

    it('may be empty or contain a NUL and a byte order mark', async () => {
      expectStatus(await session.grantToService(), 201);
      for (const text of ['', '\0', '\ufeffmarked']) {
        expect(
          expectStatus(await session.readMessage(await session.appendMessage(text), token), 200).data.content,
        ).toBe(text);
      }
    });

    it('is complete with characters and control characters at all chunk boundaries', async () => {
      expectStatus(await session.grantToService(), 201);
      const text = `${'\u0001'.repeat(49_000)}a${'🙂'.repeat(30_000)}${'"\\\n'.repeat(10_000)}`;
      const read = expectStatus(await session.readMessage(await session.appendMessage(text), token), 200).data;
      expect([read.contentEncoding, read.content === text]).toEqual(['utf8', true]);
      const bytes = Buffer.concat([Buffer.from([0xff]), randomBytes(200_000)]);
      const raw = expectStatus(await session.readMessage(await session.appendMessage(bytes), token), 200).data;
      expect(Buffer.from(raw.content, 'base64').equals(bytes)).toBe(true);
    });

    it('doesn’t harm the service if callers abort their requests', async () => {
      expectStatus(await session.grantToService(), 201);
      const large = await session.appendMessage('x'.repeat(250_000));
      const path = `${service.url}/external/v1/sessions/${session.id}/messages/${large}/content`;
      const headers = { Authorization: `Bearer ${token}`, 'Accept-Encoding': 'identity' };
      for (let round = 0; round < 5; round++) {
        const leaving = new AbortController();
        const response = await fetch(path, { headers, signal: leaving.signal });
        leaving.abort();
        expect(response.status).toBe(200);
      }
      expect((await session.readMessage(large, token)).status).toBe(200);
      expect(service.logs.filter((line) => /unexpected error|"level":[56]0/.test(line))).toEqual([]);
    });

    it.each(['X25519', 'P-256'] as const)('is sealed to a caller’s own key on %s', async (crv) => {
      const reader = await createReaderKey(crv, 'reader-1');
      const { id: grantId } = expectStatus(
        await session.key.grantToReader(reader.publicKey, session.resource),
        201,
      ).data;
      const { data } = expectStatus(await session.readMessage(message, token), 200);
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

    it('has the requested encoding if both are granted, plaintext by default', async () => {
      const { publicKey } = await createReaderKey('X25519');
      const own = expectStatus(await session.key.grantToReader(publicKey, session.resource), 201).data.id;
      const ofService = expectStatus(await session.grantToService(), 201).data.id;
      const read = async (query: string) => expectStatus(await session.readMessage(message, token, query), 200).data;
      expect(await read('')).toMatchObject({ encoding: 'plaintext', grantId: ofService });
      expect(await read('?encoding=plaintext')).toMatchObject({ encoding: 'plaintext', grantId: ofService });
      expect(await read('?encoding=sealed')).toMatchObject({ encoding: 'sealed', grantId: own });
    });

    it('uses a grant for the token before those for all tokens, and of these the newest', async () => {
      const own = await createReaderKey('X25519', 'own');
      expectStatus(await session.key.grantToReader(own.publicKey, session.resource, { tokenId }), 201);
      const older = await createReaderKey('X25519', 'older');
      const { id } = expectStatus(await session.key.grantToReader(older.publicKey, session.resource), 201).data;
      const age = "UPDATE key_grants SET created_at = created_at - interval '1 minute' WHERE id = $1";
      await queryDatabase(service, age, [id]);
      const all = await createReaderKey('X25519', 'all');
      expectStatus(await session.key.grantToReader(all.publicKey, session.resource), 201);
      const keyFor = async (bearer: string) =>
        expectStatus(await session.readMessage(message, bearer), 200).data.key.recipientKeyId as string;
      expect(await keyFor(token)).toBe('own');
      expect(await keyFor((await ada.createToken(['sessions:content'])).token)).toBe('all');
    });

    it('is rejected in an encoding that isn’t granted or is unknown', async () => {
      expectStatus(await session.grantToService(), 201);
      refused(await session.readMessage(message, token, '?encoding=sealed'));
      expect((await session.readMessage(message, token, '?encoding=base64')).status).toBe(400);
      const other = await GrantedSession.createSession(ada);
      const { publicKey } = await createReaderKey('X25519');
      expectStatus(await other.key.grantToReader(publicKey, other.resource), 201);
      refused(await other.readMessage(await other.appendMessage(TEXT), token, '?encoding=plaintext'));
    });

    it('is rejected without a grant, but 404 for a message that does not exist', async () => {
      refused(await session.readMessage(message, token));
      expect((await session.readMessage('msg_00000000000000000000000000', token)).body.code).toBe('not_found');
    });

    it('requires the scope', async () => {
      expectStatus(await session.grantToService(), 201);
      const { token: bare } = await ada.createToken(['sessions:read']);
      expect((await session.readMessage(message, bare)).body).toMatchObject({
        code: 'insufficient_scope',
        required: ['sessions:content'],
      });
    });

    it('does not exist under another session, or in another account', async () => {
      const other = await GrantedSession.createSession(ada);
      for (const one of [session, other]) expectStatus(await one.grantToService(), 201);
      expect((await other.readMessage(message, token)).status).toBe(404);
      expect((await session.readMessage('msg_unknown', token)).status).toBe(404);
      const eve = await ForeignAccountDevice.signUp(service.http);
      const { token: foreign } = await eve.createToken(['sessions:content']);
      expect((await session.readMessage(message, foreign)).status).toBe(404);
    });

    it('is sent again despite If-None-Match', async () => {
      expectStatus(await session.grantToService(), 201);
      const path = `/external/v1/sessions/${session.id}/messages/${message}/content`;
      const httpResponse = await service.http.get(path, token, { headers: { 'If-None-Match': '*' } });
      expect(expectStatus(httpResponse, 200).data.content).toBe(TEXT);
    });

    it('supports HEAD without the content', async () => {
      expectStatus(await session.grantToService(), 201);
      const path = `/external/v1/sessions/${session.id}/messages/${message}/content`;
      const httpResponse = await service.http.request('HEAD', path, { token });
      expect([httpResponse.status, httpResponse.body]).toEqual([200, null]);
      expect(httpResponse.headers.get('cache-control')).toBe('no-store');
      expect(httpResponse.headers.get('etag')).toBeNull();
    });
  });

  describe('for whom the grant names', () => {
    it('is readable only by the token of the grant', async () => {
      expectStatus(await session.grantToService({ tokenId }), 201);
      expect((await session.readMessage(message, token)).status).toBe(200);
      const { token: other } = await ada.createToken(['sessions:content']);
      refused(await session.readMessage(message, other));
    });

    it('is readable by that token after its rotation', async () => {
      const own = await ada.createToken(['sessions:content']);
      expectStatus(await session.grantToService({ tokenId: own.id }), 201);
      const path = `/v1/account/external-tokens/${own.id}/rotate`;
      const { token: rotated } = expectStatus(await service.http.post(path, ada.token, {}), 200);
      expect((await session.readMessage(message, rotated)).status).toBe(200);
    });

    it('becomes unreadable when the grant expires', async () => {
      const expiresAt = Date.now() + 3_600_000;
      expectStatus(await session.grantToService({ expiresAt }), 201);
      const real = Date.now();
      jest.spyOn(Date, 'now').mockReturnValue(expiresAt - 1);
      const before = await session.readMessage(message, token);
      jest.spyOn(Date, 'now').mockReturnValue(expiresAt);
      const after = await session.readMessage(message, token);
      jest.restoreAllMocks();
      expect(Date.now()).toBeGreaterThanOrEqual(real);
      expect(before.status).toBe(200);
      refused(after);
    });

    it('becomes unreadable when the grant is revoked', async () => {
      const { id } = expectStatus(await session.grantToService(), 201).data;
      expect((await session.readMessage(message, token)).status).toBe(200);
      await service.http.delete(`${getGrantsPath(session.resource)}/${id}`, ada.token);
      refused(await session.readMessage(message, token));
    });

    it('becomes unreadable during a read', async () => {
      const { id } = expectStatus(await session.grantToService(), 201).data;
      const decrypt = webcrypto.subtle.decrypt.bind(webcrypto.subtle);
      const spy = jest.spyOn(webcrypto.subtle, 'decrypt').mockImplementation(async (...given) => {
        const opened = await decrypt(...given);
        await service.http.delete(`${getGrantsPath(session.resource)}/${id}`, ada.token);
        return opened;
      });
      const httpResponse = await session.readMessage(message, token);
      expect(spy).toHaveBeenCalled();
      spy.mockRestore();
      refused(httpResponse);
    });

    it('becomes unreadable during a read with the reader’s own key', async () => {
      const { publicKey } = await createReaderKey('X25519');
      const { id } = expectStatus(await session.key.grantToReader(publicKey, session.resource), 201).data;
      const messages = service.app.get(MessagesService, { strict: false });
      const getCiphertext = messages.getCiphertext.bind(messages);
      const spy = jest.spyOn(messages, 'getCiphertext').mockImplementation(async (...given) => {
        const ciphertext = await getCiphertext(...given);
        await service.http.delete(`${getGrantsPath(session.resource)}/${id}`, ada.token);
        return ciphertext;
      });
      const httpResponse = await session.readMessage(message, token);
      expect(spy).toHaveBeenCalled();
      spy.mockRestore();
      refused(httpResponse);
    });
  });
});
