import { GrantedSession } from '../../support/content/granted-session';
import { createReaderKey, encryptWithJose } from '../../support/content/jose-keys';
import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import { expectViolationPaths } from '../../support/problems';
import { Service } from '../../support/service';

const METADATA = { title: 'Grüße 🙂', cwd: '/srv/app', name: 'build-1' };

describe('the content of a session', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;
  let session: GrantedSession;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['sessions:read', 'sessions:content']));
  });
  beforeEach(async () => {
    session = await GrantedSession.createSession(ada);
  });
  afterAll(() => service?.stop());

  const read = (query = '', by = token, id = session.id) =>
    service.http.get(`/external/v1/sessions/${id}/content${query}`, by);

  it('is the newest metadata in plaintext through a grant to the service, and must not be cached', async () => {
    await session.writeMetadata({ title: 'old' });
    await session.writeMetadata(METADATA, 3);
    const { id: grantId } = expectStatus(await session.grantToService(), 201).data;
    const answer = await read();
    expect(expectStatus(answer, 200)).toEqual({
      data: {
        id: session.id,
        sessionId: session.id,
        encoding: 'plaintext',
        mediaType: 'application/json',
        content: JSON.stringify(METADATA),
        contentEncoding: 'utf8',
        grantId,
      },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('etag')).toBeNull();
    expect(service.logs.join('\n')).not.toContain('Grüße');
  });

  it('is sealed to a caller’s own key', async () => {
    await session.writeMetadata(METADATA);
    const reader = await createReaderKey('X25519', 'reader-1');
    expectStatus(await session.key.grantToReader(reader.publicKey, session.resource), 201);
    expect(expectStatus(await read('?encoding=sealed'), 200).data).toMatchObject({
      id: session.id,
      sessionId: session.id,
      encoding: 'sealed',
      content: expect.stringMatching(/^[\w-]+\.\./),
      key: { recipientKeyId: 'reader-1' },
    });
    expect(await read('?encoding=plaintext')).toMatchObject({ status: 403, body: { code: 'no_content_grant' } });
  });

  it('is refused without a grant, without the scope, and to other accounts', async () => {
    await session.writeMetadata(METADATA);
    expect(await read()).toMatchObject({ status: 403, body: { code: 'no_content_grant' } });
    expectStatus(await session.grantToService(), 201);
    const { token: bare } = await ada.createToken(['sessions:read']);
    expect(await read('', bare)).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
    const bob = await ForeignAccountDevice.signUp(service.http);
    const { token: foreign } = await bob.createToken(['sessions:content']);
    expect(await read('', foreign)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(expectViolationPaths(await read('?encoding=raw'))).toEqual(['/encoding']);
  });

  it('is 404 if the device has stored none, and for an unknown session', async () => {
    expectStatus(await session.grantToService(), 201);
    const answers = [await read(), await read('', token, 'ses_00000000000000000000000000'), await read('', token, 'x')];
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('is 422 if the granted key doesn’t open it', async () => {
    const message = await session.appendMessage('hello');
    expectStatus(await session.grantToService(), 201);
    const other = await GrantedSession.createSession(ada);
    const svc = { a: ada.accountId, s: session.tag, m: 2 };
    const protectedHeader = { kid: session.key.kid, cty: 'application/json', svc };
    const metadata = await encryptWithJose(other.key.bytes, protectedHeader, '{}');
    const path = `/v1/sessions/${session.id}`;
    expectStatus(await service.http.request('PATCH', path, { token: ada.token, json: { metadata } }), 200);
    expect(await read()).toMatchObject({ status: 422, body: { code: 'grant_key_mismatch' } });
    expectStatus(await session.readMessage(message, token), 200);
  });
});
