import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { io } from 'socket.io-client';
import { ConsoleVisitor } from '../support/console-visitor';
import { DeviceSocket, NO_ANSWER } from '../support/device/device-socket';
import { AccountDevice, ForeignDevice, ok } from '../support/device/foreign-device';
import { KeptSession } from '../support/device/kept-session';
import type { RequestOptions } from '../support/http-client';
import { freePort } from '../support/free-port';
import { TEST_GRANT_KEYS } from '../support/grant-keys';
import { OAUTH, requestIdOf, ThirdParty, VERIFIER } from '../support/oauth/third-party';
import { createDatabase, describeServices, type Database } from '../support/postgres';
import { RedisProcess } from '../support/redis-process';
import { RELAY_SCOPES } from '../support/relay-caller';
import { ServiceProcess } from '../support/service-process';
import { spellings } from '../support/traces';
import { Receiver, status } from '../support/webhooks/receiver';
import { LOOPBACK } from '../support/webhooks/webhook-scene';
import { withPassword } from '../support/with-password';

const random = (name: string) => `${name}-${randomBytes(18).toString('base64url')}`;
const APP_SECRETS = [random('app-secret-that-is-new'), random('app-secret-that-was')];
const [{ d: GRANT_KEY }] = JSON.parse(TEST_GRANT_KEYS) as [{ d: string }];

/** Without them a request fails in the midst of its work: where it is known who calls, and behind that. */
const TABLES = [
  ['external_token_secrets', 'device_tokens', 'oauth_access_tokens', 'oauth_refresh_tokens'],
  ['webhooks', 'idempotency_keys', 'pairings', 'oauth_codes', 'oauth_requests', 'developer_app_secrets', 'sessions'],
];

/** Every secret that the service is given or gives, sent every way in which a line of output could come of it. */
describeServices('what a service at its most talkative writes', () => {
  let database: Database;
  let redis: RedisProcess;
  let receiver: Receiver;
  let service: ServiceProcess;
  const secrets = new Map<string, string>([
    ['APP_SECRET', APP_SECRETS[0]!],
    ['APP_SECRET, older', APP_SECRETS[1]!],
    ['GRANT_KEYS', GRANT_KEY],
    ['password of DATABASE_URL', random('database')],
    ['password of REDIS_URL', random('redis')],
  ]);
  const secret = (name: string) => secrets.get(name)!;
  let env: NodeJS.ProcessEnv;
  let clientId: string;

  beforeAll(async () => {
    database = await createDatabase();
    redis = await RedisProcess.start();
    await redis.protect(secret('password of REDIS_URL'));
    receiver = await Receiver.start(status(500, {}, 'no'));
    const port = await freePort();
    env = {
      ...database.env,
      ...LOOPBACK,
      DATABASE_URL: withPassword(database.url, 'postgres', secret('password of DATABASE_URL')),
      REDIS_URL: withPassword(redis.url, '', secret('password of REDIS_URL')),
      APP_SECRET: APP_SECRETS.join(),
      LOG_LEVEL: 'trace',
      TRUST_PROXY: '1',
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      RATE_LIMIT_RELAY: '100000',
    };
    service = await ServiceProcess.start(env, { port });
  });
  afterAll(async () => {
    await service?.stop('SIGKILL');
    await receiver?.stop();
    await redis?.remove();
    await database?.drop();
  });

  function expectSilence(output: string): void {
    const told = [...secrets].filter(([, value]) => spellings(value).some((text) => output.includes(text)));
    expect(told.map(([name]) => name)).toEqual([]);
  }

  /** Used as they should be; each is noted. */
  async function handOut(): Promise<void> {
    const ada = await AccountDevice.signUp(service.http);
    secrets.set('device token', ada.token);
    secrets.set('access token', (await ada.createToken([...RELAY_SCOPES, 'webhooks:manage'])).token);
    const newcomer = new ForeignDevice(service.http);
    secrets.set('pairing code', (await newcomer.requestPairing('account')).code);
    const { challenge, signature } = await ada.signedChallenge({ publicKey: ada.keys.publicKey });
    secrets.set('challenge', challenge).set('signature', signature);

    const app = await ThirdParty.register(ada);
    clientId = app.clientId;
    secrets.set('client secret', app.clientSecret).set('code verifier', VERIFIER);
    const visitor = await ConsoleVisitor.signIn(service.http.url, ada);
    secrets.set('cookie', visitor.cookie!.split('=')[1]!);
    const path = `/console/consent/${requestIdOf(await app.authorize())}`;
    secrets.set('consent request', path.split('/').at(-1)!);
    const { html } = await visitor.get(path);
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(html)![1]!;
    secrets.set('ticket', field('ticket')).set('CSRF token', field('csrf'));
    const form = { ticket: field('ticket'), csrf: field('csrf'), decision: 'allow' };
    const { headers } = await visitor.post(path, form);
    secrets.set('code', new URL(headers.get('location')!).searchParams.get('code')!);
    const tokens = ok(await app.exchange(secret('code')), 200);
    secrets.set('OAuth token', tokens.access_token).set('refresh token', tokens.refresh_token);
    ok(await app.exchange(secret('code')), 400);
    ok(await app.post('introspect', { token: tokens.access_token }), 200);

    const hook = { url: `${receiver.url}?key=${noted('key in a URL')}`, events: ['*'], description: 'all' };
    const token = secret('access token');
    const { signingSecret } = ok(await service.http.post('/external/v1/webhooks', token, hook), 201);
    secrets.set('signing secret', signingSecret);
    await relay(ada, token);
  }

  const noted = (name: string) => secrets.set(name, random(name.replaceAll(' ', '-'))).get(name)!;

  /** A command, a text, the device's words, and a key, with every end that a call may have. */
  async function relay(ada: AccountDevice, token: string): Promise<void> {
    const machine = await ada.adopt('machine');
    const about = { name: 'box', platform: 'linux' };
    const { data } = ok(await service.http.post('/v1/machines', machine.token, about), 201);
    const session = await KeptSession.open(ada, machine);
    const socket = await DeviceSocket.connect(service.http.url, machine.token, ['machine.invoke', 'session.message']);
    const body = { command: noted('command'), args: [noted('argument')], timeoutMs: 1_000 };
    const text = { content: noted('text of a message') };
    const headers = { 'Idempotency-Key': noted('Idempotency-Key') };
    const error = { code: 'internal', message: noted('words of a device') };
    const answers = [
      { ok: true, result: { stdout: noted('output of a command') } },
      { ok: false, error },
      { ok: false, error: error.message },
      error.message,
      NO_ANSWER,
    ];
    for (const [n, answer] of answers.entries()) {
      socket.answerWith(() => answer);
      const own = { headers: { 'Idempotency-Key': `${headers['Idempotency-Key']}-${n}` } };
      await service.http.post(`/external/v1/machines/${data.id}/invoke`, token, body, own);
      await service.http.post(`/external/v1/sessions/${session.id}/messages`, token, text);
    }
    socket.socket.emit('relay:nonsense', error.message);
    socket.close();
  }

  /** From an address of its own each: bad credentials are counted by address, and refused unseen in the end. */
  async function request(method: string, path: string, options: RequestOptions): Promise<void> {
    const from = `2001:db8:${(++calls).toString(16)}::1`;
    const headers = { 'X-Forwarded-For': from, ...options.headers };
    await service.http.request(method, path, { ...options, headers });
  }
  let calls = 0;

  /** Where it does not belong, and where it does in a request that fails. */
  async function misuse(value: string): Promise<void> {
    await openWindows();
    const json = { 'Content-Type': 'application/json' };
    const [token, deviceToken] = [secret('access token'), secret('device token')];
    for (const path of ['/external/v1/me', '/v1/devices']) {
      for (const given of [value, `${value}x`]) await request('GET', path, { token: given });
      await request('GET', `${path}?access_token=${value}&${value}`, { token });
    }
    for (const path of ['/external/v1', '/v1/pairings/code', '/console/consent', `/external/v1/webhooks`]) {
      await request('GET', `${path}/${value}`, { token: deviceToken });
    }
    const headers = {
      'X-Request-Id': value,
      'Idempotency-Key': value,
      traceparent: value,
      Cookie: `a=${value}`,
    };
    await request('GET', '/external/v1/me', { token, headers });
    const marks = [`{"name": "${value}"`, `{"name": "${value}\\u0000"}`, `{"${value}": "${value}"}`, `"${value}"`];
    for (const path of ['/v1/account/external-tokens', '/v1/accounts', '/v1/auth/sign-in', '/v1/sessions']) {
      for (const raw of marks) {
        await request('POST', path, { raw, token: deviceToken, headers: json });
      }
    }
    const hook = { url: `https://receiver.example/?key=${value}`, events: ['*'], description: value };
    await request('POST', '/external/v1/webhooks', { token, json: hook });
    const fields = { grant_type: 'refresh_token', refresh_token: value, code: value, token: value };
    for (const endpoint of ['token', 'revoke', 'introspect']) {
      for (const client of [`${value}:${value}`, `${clientId}:${value}`]) {
        await request('POST', `${OAUTH}/${endpoint}`, {
          raw: new URLSearchParams(fields).toString(),
          headers: {
            Authorization: `Basic ${Buffer.from(client).toString('base64')}`,
            'Content-Type': 'application/x-www-form-urlencoded',
          },
        });
      }
    }
    const visitor = new ConsoleVisitor(service.http.url);
    visitor.cookie = `external_api_session=${value}`;
    await visitor.post('/console/sign-out', { csrf: value });
    await handshake(value);
  }

  /** What is refused for its number is not looked at. */
  async function openWindows(): Promise<void> {
    const client = new Redis(env.REDIS_URL!);
    const keys = await client.keys('limit:*');
    if (keys.length > 0) await client.del(keys);
    client.disconnect();
  }

  function handshake(token: string): Promise<void> {
    return new Promise((resolve) => {
      const path = '/v1/devices/socket';
      const socket = io(service.http.url, {
        ...{ path, transports: ['websocket'], reconnection: false, forceNew: true },
        auth: { token, capabilities: [token] },
      });
      const done = () => resolve(void socket.disconnect());
      socket.once('connect_error', done).once('hello', done);
    });
  }

  it('holds no secret: not of what was handed out, what was misused, nor of what failed within', async () => {
    await handOut();
    for (const value of secrets.values()) await misuse(value);
    for (const tables of TABLES) {
      for (const name of tables) await database.query(`ALTER TABLE ${name} RENAME TO ${name}_away`);
      for (const value of secrets.values()) await misuse(value);
      for (const name of tables) await database.query(`ALTER TABLE ${name}_away RENAME TO ${name}`);
    }
    const { code, stdout, stderr } = await service.stop();
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { status?: number; msg: string });
    const answered = (code: number) => lines.filter((line) => line.status === code).length;
    expect(answered(500)).toBeGreaterThan(200);
    expect(answered(429)).toBe(0);
    expectSilence(stdout + stderr);
  }, 300_000);
});
