import { createBackend, type Backend } from '../../support/backend';
import { GrantedSession } from '../../support/content/granted-session';
import { createReaderKey } from '../../support/content/jose-keys';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { createForeignKeyPair } from '../../support/device/keys';
import { HttpClient } from '../../support/http-client';
import { Service } from '../../support/service';

const newKey = (kid: string) => ({ ...createForeignKeyPair('X25519').privateKey.export({ format: 'jwk' }), kid });
const [first, second] = [newKey('first'), newKey('second')];

describe('GRANT_KEYS', () => {
  let backend: Backend;
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;
  let session: GrantedSession;
  let message: string;
  /** Session with grants to the service and to a caller's own key. */
  let both: GrantedSession;
  let inBoth: string;

  /**
   * Starts the service on the same data with these grant keys. Sealed grants contain the public URL, so it is fixed.
   */
  const start = async (...keys: object[]) => {
    const env = { GRANT_KEYS: JSON.stringify(keys), PUBLIC_URL: 'https://api.example.org' };
    service = await Service.start(env, backend);
  };
  const restart = async (...keys: object[]) => {
    await service.app.close();
    await start(...keys);
  };
  const http = () => new HttpClient(service.url);
  const read = () => http().get(`/external/v1/sessions/${session.id}/messages/${message}/content`, token);
  const published = async () =>
    expectStatus(await http().get('/v1/key-grants/recipient', ada.token), 200).data.kid as string;
  const granted = async () =>
    expectStatus(await http().get(`/external/v1/sessions/${session.id}`, token), 200).data.contentGranted as boolean;

  beforeAll(async () => {
    backend = await createBackend();
    await start(first);
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['sessions:read', 'sessions:content']));
    session = await GrantedSession.createSession(ada);
    message = await session.appendMessage('a text');
    both = await GrantedSession.createSession(ada);
    inBoth = await both.appendMessage('another text');
    for (const one of [session, both])
      expectStatus(await one.grantToService({}, { aud: 'https://api.example.org' }), 201);
    const { publicKey } = await createReaderKey('X25519');
    expectStatus(await both.key.grantToReader(publicKey, both.resource), 201);
  });
  afterAll(() => service?.stop());

  it('opens grants sealed to its key', async () => {
    expect(await published()).toBe('first');
    expect(expectStatus(await read(), 200).data.content).toBe('a text');
  });

  it('publishes the first key and opens grants with all keys', async () => {
    await restart(second, first);
    expect(await published()).toBe('second');
    expect(expectStatus(await read(), 200).data.content).toBe('a text');
    expect(await granted()).toBe(true);
  });

  it('reports a missing old key at startup and to the caller', async () => {
    await restart(second);
    const httpResponse = await read();
    expect([httpResponse.status, httpResponse.body.code]).toEqual([422, 'grant_key_mismatch']);
    expect(httpResponse.body.detail).toContain('"first"');
    expect(httpResponse.body.detail).toContain('GRANT_KEYS');
    expect(await granted()).toBe(false);
    const warning = service.logs.find((line) => line.includes('GRANT_KEYS'))!;
    expect(JSON.parse(warning)).toMatchObject({ level: expect.anything(), kid: 'first', grants: 2 });
  });

  it('returns content sealed to a caller’s key without the old key', async () => {
    const path = `/external/v1/sessions/${both.id}/messages/${inBoth}/content`;
    expect(expectStatus(await http().get(path, token), 200).data.encoding).toBe('sealed');
    expect((await http().get(`${path}?encoding=plaintext`, token)).status).toBe(422);
  });

  it('rejects another key with the same kid', async () => {
    await restart({ ...second, kid: 'first' });
    expect((await read()).status).toBe(422);
    expect(await granted()).toBe(false);
  });

  it('opens the grant again when the key is restored', async () => {
    await restart(second, first);
    expect((await read()).status).toBe(200);
    expect(service.logs.filter((line) => line.includes('GRANT_KEYS'))).toEqual([]);
  });
});
