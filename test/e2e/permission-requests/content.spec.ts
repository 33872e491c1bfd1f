import { createHash } from 'node:crypto';
import { compactDecrypt, importJWK, type JWK } from 'jose';
import { AskingSession, PERMISSION_MEDIA_TYPE, QUESTION } from '../../support/content/asking-session';
import { createReaderKey } from '../../support/content/jose-keys';
import { queryDatabase } from '../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

describe('GET /sessions/{id}/permission-requests/{permissionId}/content', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;
  let session: AskingSession;
  let permissionId: string;
  let jwe: string;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['sessions:content']));
  });
  beforeEach(async () => {
    session = await AskingSession.createSession(service, ada);
    const { record, report } = await session.requestPermission('p1');
    [permissionId, jwe] = [record.id, report.content];
  });
  afterAll(() => service?.stop());

  const read = (query = '', by = token) => service.http.get(session.getPath(permissionId, `/content${query}`), by);
  const hash = () => createHash('sha256').update(jwe, 'ascii').digest('base64url');

  it('returns plaintext and the hash of the JWE through a grant to the service', async () => {
    const { id: grantId } = expectStatus(await session.granted.grantToService(), 201).data;
    const httpResponse = await read();
    expect(expectStatus(httpResponse, 200)).toEqual({
      data: {
        id: permissionId,
        sessionId: session.id,
        encoding: 'plaintext',
        mediaType: PERMISSION_MEDIA_TYPE,
        content: QUESTION,
        contentEncoding: 'utf8',
        grantId,
        contentHash: hash(),
      },
    });
    expect(httpResponse.headers.get('cache-control')).toBe('no-store');
  });

  it('returns the JWE and its hash through a grant to the caller’s own key', async () => {
    const reader = await createReaderKey('X25519', 'reader-1');
    const { granted } = session;
    expectStatus(await granted.key.grantToReader(reader.publicKey, granted.resource), 201);
    const { data } = expectStatus(await read(), 200);
    expect(data).toMatchObject({ encoding: 'sealed', content: jwe, contentHash: hash() });
    const opened = await compactDecrypt(data.key.sealed, await importJWK(reader.privateKey, 'ECDH-ES+A256KW'));
    const { k } = JSON.parse(new TextDecoder().decode(opened.plaintext)) as JWK;
    const { plaintext } = await compactDecrypt(data.content, Buffer.from(k!, 'base64url'));
    expect(new TextDecoder().decode(plaintext)).toBe(QUESTION);
  });

  it('returns no hash without a grant or the scope', async () => {
    const refused = await read();
    expect([refused.status, refused.body.code]).toEqual([403, 'no_content_grant']);
    expectStatus(await session.granted.grantToService(), 201);
    const { token: bare } = await ada.createToken(['sessions:read']);
    const unscoped = await read('', bare);
    expect([unscoped.status, unscoped.body.required]).toEqual([403, ['sessions:content']]);
    for (const { body } of [refused, unscoped]) expect(JSON.stringify(body)).not.toContain(hash());
  });

  it('knows only the requests of its own session and account', async () => {
    expectStatus(await session.granted.grantToService(), 201);
    const other = await AskingSession.createSession(service, ada);
    expect((await service.http.get(other.getPath(permissionId, '/content'), token)).status).toBe(404);
    const eve = await ForeignAccountDevice.signUp(service.http);
    const { token: foreign } = await eve.createToken(['sessions:content']);
    expect((await read('', foreign)).status).toBe(404);
  });

  it('returns 422 for a ciphertext that was moved to another request', async () => {
    expectStatus(await session.granted.grantToService(), 201);
    const { report } = await session.requestPermission('p2');
    await queryDatabase(service, 'UPDATE permission_requests SET content = $2 WHERE id = $1', [
      permissionId,
      report.content,
    ]);
    const httpResponse = await read();
    expect([httpResponse.status, httpResponse.body.code]).toEqual([422, 'grant_key_mismatch']);
  });

  it('returns 404 for content that has been deleted', async () => {
    expectStatus(await session.granted.grantToService(), 201);
    await queryDatabase(service, 'UPDATE permission_requests SET content = NULL WHERE id = $1', [permissionId]);
    expect((await read()).body).toMatchObject({ status: 404, code: 'not_found' });
  });
});
