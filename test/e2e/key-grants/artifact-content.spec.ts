import { randomBytes } from 'node:crypto';
import { GrantedArtifact, GrantedSession } from '../../support/content/granted-session';
import { createReaderKey } from '../../support/content/jose-keys';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import type { HttpResponse } from '../../support/http-client';
import { Service } from '../../support/service';

const TEXT = 'Grüße aus der Sitzung 🙂\n';

describe('the content of artifacts', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;
  let session: GrantedSession;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
    ada = await ForeignAccountDevice.signUp(service.http);
    const scopes = ['sessions:read', 'sessions:content', 'artifacts:read', 'artifacts:content'];
    ({ token } = await ada.createToken(scopes));
  });
  beforeEach(async () => {
    session = await GrantedSession.createSession(ada);
  });
  afterAll(() => service?.stop());

  const refused = ({ status, body, headers }: HttpResponse) => {
    expect([status, body.code]).toEqual([403, 'no_content_grant']);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(JSON.stringify(body)).not.toContain('Grüße');
  };

  it('is plaintext as JSON, and raw bytes on request', async () => {
    const bytes = Buffer.concat([Buffer.from([0xff]), randomBytes(5_000)]);
    const artifact = await GrantedArtifact.createArtifact(ada, bytes, { cty: 'image/png' });
    const { id: grantId } = expectStatus(await artifact.grantToService(), 201).data;
    expect(expectStatus(await artifact.readContent(token), 200).data).toEqual({
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

  it('is 406 as raw bytes if it is granted sealed', async () => {
    const artifact = await GrantedArtifact.createArtifact(ada, TEXT);
    const { publicKey } = await createReaderKey('X25519');
    expectStatus(await artifact.key.grantToReader(publicKey, artifact.resource), 201);
    const httpResponse = await artifact.readContent(token, '', { Accept: 'application/octet-stream' });
    expect([httpResponse.status, httpResponse.body.code]).toEqual([406, 'not_acceptable']);
    expect(expectStatus(await artifact.readContent(token), 200).data.encoding).toBe('sealed');
    const either = { Accept: 'application/octet-stream, application/json;q=0.5' };
    expect(expectStatus(await artifact.readContent(token, '', either), 200).data.encoding).toBe('sealed');
  });

  it('is covered by the grant of its session with the same key', async () => {
    const same = await GrantedArtifact.createArtifact(ada, TEXT, { session });
    const own = await GrantedArtifact.createArtifact(ada, TEXT, {
      session,
      key: (await GrantedSession.createSession(ada)).key,
    });
    const { id: grantId } = expectStatus(await session.grantToService(), 201).data;
    expect(expectStatus(await same.readContent(token), 200).data).toMatchObject({
      sessionId: session.id,
      content: TEXT,
      grantId,
    });
    refused(await own.readContent(token));
  });

  it('is not opened by a grant of another artifact', async () => {
    const [one, other] = [
      await GrantedArtifact.createArtifact(ada, TEXT),
      await GrantedArtifact.createArtifact(ada, TEXT),
    ];
    expectStatus(await one.grantToService(), 201);
    refused(await other.readContent(token));
  });

  it('does not exist for other accounts, whether or not it is granted', async () => {
    const artifact = await GrantedArtifact.createArtifact(ada, TEXT);
    const eve = await ForeignAccountDevice.signUp(service.http);
    const { token: foreign } = await eve.createToken(['artifacts:content']);
    expect((await artifact.readContent(foreign)).body.code).toBe('not_found');
    expectStatus(await artifact.grantToService(), 201);
    expect((await artifact.readContent(foreign)).body.code).toBe('not_found');
  });

  it('is the newest version', async () => {
    const artifact = await GrantedArtifact.createArtifact(ada, 'first');
    expectStatus(await artifact.grantToService(), 201);
    expectStatus(await artifact.replaceContent('second', 1), 200);
    expect(expectStatus(await artifact.readContent(token), 200).data.content).toBe('second');
  });
});
