import { generateKeyPairSync } from 'node:crypto';
import { createBackend, type Backend } from '../../support/backend';
import { GrantedSession } from '../../support/content/granted-session';
import { newReaderKey } from '../../support/content/jose-keys';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { HttpClient } from '../../support/http-client';
import { Service } from '../../support/service';

const newKey = (kid: string) => ({
  ...generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' }),
  kid,
});
const [first, second] = [newKey('first'), newKey('second')];

describe('GRANT_KEYS', () => {
  let backend: Backend;
  let service: Service;
  let ada: AccountDevice;
  let token: string;
  let session: GrantedSession;
  let message: string;
  /** Granted to the service and to a key of the caller's own. */
  let both: GrantedSession;
  let inBoth: string;

  /** The same data with other keys; callers and sealed grants know it by the same name. */
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
  const published = async () => ok(await http().get('/v1/key-grants/recipient', ada.token), 200).data.kid as string;
  const granted = async () =>
    ok(await http().get(`/external/v1/sessions/${session.id}`, token), 200).data.contentGranted as boolean;

  beforeAll(async () => {
    backend = await createBackend();
    await start(first);
    ada = await AccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['sessions:read', 'sessions:content']));
    session = await GrantedSession.open(ada);
    message = await session.say('a text');
    both = await GrantedSession.open(ada);
    inBoth = await both.say('another text');
    for (const one of [session, both]) ok(await one.grant({}, { aud: 'https://api.example.org' }), 201);
    const { publicKey } = await newReaderKey('X25519');
    ok(await both.key.grantTo(publicKey, both.resource), 201);
  });
  afterAll(() => service?.stop());

  it('opens what was sealed to it', async () => {
    expect(await published()).toBe('first');
    expect(ok(await read(), 200).data.content).toBe('a text');
  });

  it('publishes the first, and opens with all of them, without granting anew', async () => {
    await restart(second, first);
    expect(await published()).toBe('second');
    expect(ok(await read(), 200).data.content).toBe('a text');
    expect(await granted()).toBe(true);
  });

  it('without the old key says what to do, at boot and to the caller', async () => {
    await restart(second);
    const answer = await read();
    expect([answer.status, answer.body.code]).toEqual([422, 'grant_key_mismatch']);
    expect(answer.body.detail).toContain('"first"');
    expect(answer.body.detail).toContain('GRANT_KEYS');
    expect(await granted()).toBe(false);
    const warning = service.logs.find((line) => line.includes('GRANT_KEYS'))!;
    expect(JSON.parse(warning)).toMatchObject({ level: expect.anything(), kid: 'first', grants: 2 });
  });

  it('without the old key still gives what is sealed to the caller’s own', async () => {
    const path = `/external/v1/sessions/${both.id}/messages/${inBoth}/content`;
    expect(ok(await http().get(path, token), 200).data.encoding).toBe('sealed');
    expect((await http().get(`${path}?encoding=plaintext`, token)).status).toBe(422);
  });

  it('is not misled by another key of the same name', async () => {
    await restart({ ...second, kid: 'first' });
    expect((await read()).status).toBe(422);
    expect(await granted()).toBe(false);
  });

  it('opens it again when the key is back', async () => {
    await restart(second, first);
    expect((await read()).status).toBe(200);
    expect(service.logs.filter((line) => line.includes('GRANT_KEYS'))).toEqual([]);
  });
});
