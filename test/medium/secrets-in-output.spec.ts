import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { io } from 'socket.io-client';
import { ConsoleClient } from '../support/console-client';
import { describeWith } from '../support/dependencies';
import { DeviceSocket, NO_RESPONSE } from '../support/device/device-socket';
import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../support/device/foreign-device';
import { DeviceSession } from '../support/device/device-session';
import type { RequestOptions } from '../support/http-client';
import { findFreePort } from '../support/find-free-port';
import { TEST_GRANT_KEYS } from '../support/grant-keys';
import { OAUTH_PATH, readConsentRequestId, ThirdPartyApp, CODE_VERIFIER } from '../support/oauth/third-party-app';
import { createMigratedDatabase, type TestDatabase } from '../support/postgres';
import { RedisProcess } from '../support/redis-process';
import { RELAY_SCOPES } from '../support/relay-test-client';
import { ServiceProcess } from '../support/service-process';
import { listEncodings } from '../support/storage-dumps';
import { WebhookReceiver, respondWithStatus } from '../support/webhooks/webhook-receiver';
import { LOOPBACK_WEBHOOKS_ENV } from '../support/webhooks/webhook-fixture';
import { setUrlCredentials } from '../support/with-password';

const random = (name: string) => `${name}-${randomBytes(18).toString('base64url')}`;
const APP_SECRETS = [random('app-secret-that-is-new'), random('app-secret-that-was')];
const [{ d: GRANT_KEY }] = JSON.parse(TEST_GRANT_KEYS) as [{ d: string }];

/** Tables whose absence makes a request fail, before and after authentication. */
const TABLES = [
  ['external_token_secrets', 'device_tokens', 'oauth_access_tokens', 'oauth_refresh_tokens'],
  ['webhooks', 'idempotency_keys', 'pairings', 'oauth_codes', 'oauth_requests', 'developer_app_secrets', 'sessions'],
];

/** Sends every secret that the service receives or issues in every way that could cause a line of output. */
describeWith('PostgreSQL', 'redis-server')('the output of a service at the lowest log level', () => {
  let testDatabase: TestDatabase;
  let redis: RedisProcess;
  let webhookReceiver: WebhookReceiver;
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
    testDatabase = await createMigratedDatabase();
    redis = await RedisProcess.start();
    await redis.requirePassword(secret('password of REDIS_URL'));
    webhookReceiver = await WebhookReceiver.start(respondWithStatus(500, {}, 'no'));
    const port = await findFreePort();
    env = {
      ...testDatabase.env,
      ...LOOPBACK_WEBHOOKS_ENV,
      DATABASE_URL: setUrlCredentials(testDatabase.url, 'postgres', secret('password of DATABASE_URL')),
      REDIS_URL: setUrlCredentials(redis.url, '', secret('password of REDIS_URL')),
      APP_SECRET: APP_SECRETS.join(),
      LOG_LEVEL: 'trace',
      TRUST_PROXY: '1',
      SHUTDOWN_NOTICE_SECONDS: '0',
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      RATE_LIMIT_RELAY: '100000',
    };
    service = await ServiceProcess.start(env, { port });
  });
  afterAll(async () => {
    await service?.stop('SIGKILL');
    await webhookReceiver?.stop();
    await redis?.removeProcess();
    await testDatabase?.dropDatabase();
  });

  function expectSilence(output: string): void {
    const told = [...secrets].filter(([, value]) => listEncodings(value).some((text) => output.includes(text)));
    expect(told.map(([name]) => name)).toEqual([]);
  }

  /** Uses every secret correctly and records it. Returns the calls that get no answer for half a minute. */
  async function handOut(): Promise<{ unanswered: Promise<unknown> }> {
    const ada = await ForeignAccountDevice.signUp(service.http);
    secrets.set('device token', ada.token);
    secrets.set('access token', (await ada.createToken([...RELAY_SCOPES, 'webhooks:manage'])).token);
    const newcomer = new ForeignDevice(service.http);
    secrets.set('pairing code', (await newcomer.requestPairing('account')).code);
    const { challenge, signature } = await ada.signChallenge({ publicKey: ada.keys.publicKey });
    secrets.set('challenge', challenge).set('signature', signature);

    const app = await ThirdPartyApp.register(ada);
    clientId = app.clientId;
    secrets.set('client secret', app.clientSecret).set('code verifier', CODE_VERIFIER);
    const visitor = await ConsoleClient.signIn(service.http.url, ada);
    secrets.set('cookie', visitor.cookie!.split('=')[1]!);
    const path = `/console/consent/${readConsentRequestId(await app.requestAuthorization())}`;
    secrets.set('consent request', path.split('/').at(-1)!);
    const { html } = await visitor.get(path);
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(html)![1]!;
    secrets.set('ticket', field('ticket')).set('CSRF token', field('csrf'));
    const form = { ticket: field('ticket'), csrf: field('csrf'), decision: 'allow' };
    const { headers } = await visitor.post(path, form);
    secrets.set('code', new URL(headers.get('location')!).searchParams.get('code')!);
    const tokens = expectStatus(await app.exchangeCode(secret('code')), 200);
    secrets.set('OAuth token', tokens.access_token).set('refresh token', tokens.refresh_token);
    expectStatus(await app.exchangeCode(secret('code')), 400);
    expectStatus(await app.postToEndpoint('introspect', { token: tokens.access_token }), 200);

    const hook = {
      url: `${webhookReceiver.url}?key=${noted('key in a URL')}`,
      events: ['*'],
      description: 'all',
    };
    const token = secret('access token');
    const { signingSecret } = expectStatus(await service.http.post('/external/v1/webhooks', token, hook), 201);
    secrets.set('signing secret', signingSecret);
    return relay(ada, token);
  }

  const noted = (name: string) => secrets.set(name, random(name.replaceAll(' ', '-'))).get(name)!;

  /** Relays a command, a text, device errors and a key, with every outcome. */
  async function relay(ada: ForeignAccountDevice, token: string): Promise<{ unanswered: Promise<unknown> }> {
    const machine = await ada.pairDevice('machine');
    const about = { name: 'box', platform: 'linux' };
    const { data } = expectStatus(await service.http.post('/v1/machines', machine.token, about), 201);
    const session = await DeviceSession.createSession(ada, machine);
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
    ];
    const send = (n: number) => {
      const own = { headers: { 'Idempotency-Key': `${headers['Idempotency-Key']}-${n}` } };
      return Promise.all([
        service.http.post(`/external/v1/machines/${data.id}/invoke`, token, body, own),
        service.http.post(`/external/v1/sessions/${session.id}/messages`, token, text),
      ]);
    };
    for (const [n, answer] of answers.entries()) {
      socket.setHandler(() => answer);
      await send(n);
    }
    socket.setHandler(() => NO_RESPONSE);
    const unanswered = send(answers.length).then(() => {
      socket.socket.emit('relay:nonsense', error.message);
      socket.close();
    });
    return { unanswered };
  }

  /** Uses a new address for each call, because invalid credentials empty the bucket of their address. */
  async function request(method: string, path: string, options: RequestOptions): Promise<void> {
    const from = `2001:db8:${(++calls).toString(16)}::1`;
    const headers = { 'X-Forwarded-For': from, ...options.headers };
    await service.http.request(method, path, { ...options, headers });
  }
  let calls = 0;

  /** Sends the secret in wrong places, and in the right place of a failing request. */
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
        await request('POST', `${OAUTH_PATH}/${endpoint}`, {
          raw: new URLSearchParams(fields).toString(),
          headers: {
            Authorization: `Basic ${Buffer.from(client).toString('base64')}`,
            'Content-Type': 'application/x-www-form-urlencoded',
          },
        });
      }
    }
    const visitor = new ConsoleClient(service.http.url);
    visitor.cookie = `external_api_session=${value}`;
    await visitor.post('/console/sign-out', { csrf: value });
    await handshake(value);
  }

  /** Resets the rate limits, because a rate-limited request is rejected before its secret is read. */
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

  it('contains no secret, even after misuse and internal errors', async () => {
    const { unanswered } = await handOut();
    for (const value of secrets.values()) await misuse(value);
    for (const tables of TABLES) {
      for (const name of tables) await testDatabase.query(`ALTER TABLE ${name} RENAME TO ${name}_away`);
      for (const value of secrets.values()) await misuse(value);
      for (const name of tables) await testDatabase.query(`ALTER TABLE ${name}_away RENAME TO ${name}`);
    }
    await unanswered;
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
