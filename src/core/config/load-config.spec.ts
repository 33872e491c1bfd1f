import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKey } from '@external-api/protocol';
import { ConfigError, loadConfig } from './load-config';

const createGrantKeys = (...kids: string[]) => JSON.stringify(kids.map((kid) => ({ ...generateKey('X25519'), kid })));

describe('loadConfig', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'config-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('turns notifications on with a key and a subject only, to the push services of the known browsers', () => {
    const PUSH_VAPID_PRIVATE_KEY = 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw';
    const PUSH_VAPID_SUBJECT = 'mailto:operator@example.com';
    const load = (env: NodeJS.ProcessEnv) => loadConfig({ DATA_DIR: dir, ...env }).push;
    expect(load({})).toBeNull();
    expect(load({ PUSH_VAPID_PRIVATE_KEY, PUSH_VAPID_SUBJECT })).toMatchObject({
      publicKey: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
      subject: PUSH_VAPID_SUBJECT,
      allowHosts: expect.arrayContaining(['fcm.googleapis.com', '*.push.apple.com']),
    });
    expect(() => load({ PUSH_VAPID_PRIVATE_KEY })).toThrow('PUSH_VAPID_PRIVATE_KEY needs PUSH_VAPID_SUBJECT');
    expect(() => load({ PUSH_VAPID_SUBJECT })).toThrow('PUSH_VAPID_SUBJECT needs PUSH_VAPID_PRIVATE_KEY');
    expect(() => load({ PUSH_VAPID_PRIVATE_KEY: 'a key', PUSH_VAPID_SUBJECT })).toThrow('PUSH_VAPID_PRIVATE_KEY');
    for (const subject of ['operator@example.com', 'http://example.com'])
      expect(() => load({ PUSH_VAPID_PRIVATE_KEY, PUSH_VAPID_SUBJECT: subject })).toThrow('PUSH_VAPID_SUBJECT');
    for (const hosts of ['https://example.com', '*', 'a.*.example'])
      expect(() => load({ PUSH_ALLOW_HOSTS: hosts })).toThrow('PUSH_ALLOW_HOSTS');
  });

  it('accepts a shutdown notice of 0 to 30 seconds', () => {
    const load = (seconds: string) => loadConfig({ DATA_DIR: dir, SHUTDOWN_NOTICE_SECONDS: seconds });
    expect([load('0'), load('30')].map((config) => config.shutdownNoticeSeconds)).toEqual([0, 30]);
    for (const seconds of ['31', '-1', '0.5']) expect(() => load(seconds)).toThrow('SHUTDOWN_NOTICE_SECONDS');
  });

  it('needs nothing: the embedded default, open sign-up, a secret of its own', () => {
    const config = loadConfig({ DATA_DIR: dir });
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      publicUrl: 'http://localhost:3000',
      database: { kind: 'embedded', dataDir: dir },
      redisUrl: null,
      shutdownNoticeSeconds: 5,
      unsignedBusMessages: 'refuse',
      signup: 'open',
      rateLimits: { metadata: 600, relay: 60, address: 60 },
      planLimits: {
        maxTokens: 50,
        maxApps: 20,
        maxWebhooks: 20,
        maxStorageBytes: 1_073_741_824,
        maxEventBytesPerDay: 536_870_912,
        maxKeptAnswerBytes: 268_435_456,
        maxDevices: 1_000,
        maxKeyGrants: 10_000,
      },
      retentionDays: {
        relayCalls: 30,
        invocations: 30,
        queuedMessages: 30,
        deliveries: 30,
        usage: 400,
        auditEvents: 400,
      },
      webhooks: {
        allowHttp: false,
        allowCidrs: [],
        allowLoopback: true,
        proxyUrl: null,
        retrySchedule: [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
        attemptTimeoutSeconds: 20,
      },
      trustProxy: null,
    });
    expect(config.appSecrets[0].length).toBeGreaterThanOrEqual(32);
    expect(config.grantKeys).toHaveLength(1);
    expect(readdirSync(dir).sort()).toEqual(['app-secret', 'grant-keys']);
    for (const file of readdirSync(dir)) expect(statSync(join(dir, file)).mode & 0o777).toBe(0o600);
    expect(loadConfig({ DATA_DIR: dir })).toEqual(config);
  });

  it('exports no spans by default, and those of sampled callers to a collector', () => {
    expect(loadConfig({ DATA_DIR: dir, OTEL_SERVICE_NAME: 'calls' }).tracing).toBeNull();
    expect(loadConfig({ DATA_DIR: dir, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }).tracing).toEqual({
      endpoint: 'http://collector:4318',
      headers: {},
      serviceName: 'external-api',
      sampler: { name: 'parentbased_always_on', ratio: 1 },
    });
  });

  it('decodes the headers of exports', () => {
    const OTEL_EXPORTER_OTLP_HEADERS = 'authorization=Basic%20YWRhOng=, x-tenant = ada';
    const env = { DATA_DIR: dir, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_EXPORTER_OTLP_HEADERS };
    expect(loadConfig(env).tracing?.headers).toEqual({ authorization: 'Basic YWRhOng=', 'x-tenant': 'ada' });
  });

  it('closes sign-up by default with DATABASE_URL', () => {
    const config = loadConfig({
      DATABASE_URL: 'postgres://localhost/x',
      APP_SECRET: `${'a'.repeat(32)}, ${'b'.repeat(32)}`,
      GRANT_KEYS: createGrantKeys('one'),
      TRUST_PROXY: '10.0.0.0/8,127.0.0.1',
      PUBLIC_URL: 'https://api.example.org/',
    });
    expect(config.signup).toBe('closed');
    expect(config.appSecrets).toEqual(['a'.repeat(32), 'b'.repeat(32)]);
    expect(config.trustProxy).toEqual(['10.0.0.0/8', '127.0.0.1']);
    expect(config.publicUrl).toBe('https://api.example.org');
  });

  it.each([
    ['redis://redis:6379/2', 'redis://:a%2Fb%40c@redis:6379/2'],
    ['redis+sentinel://one:1,two:2/calls', 'redis+sentinel://:a%2Fb%40c@one:1,two:2/calls'],
    ['redis+cluster://one:1,two:2', 'redis+cluster://:a%2Fb%40c@one:1,two:2'],
  ])('puts REDIS_PASSWORD into %s', (REDIS_URL, expected) => {
    const given = {
      DATABASE_URL: 'postgres://localhost/x',
      APP_SECRET: 'a'.repeat(32),
      GRANT_KEYS: createGrantKeys('one'),
      REDIS_PASSWORD: 'a/b@c',
    };
    expect(loadConfig({ ...given, REDIS_URL }).redisUrl).toBe(expected);
    const twice = () => loadConfig({ ...given, REDIS_URL: 'redis://:other@redis' });
    expect(twice).toThrow('REDIS_PASSWORD needs a REDIS_URL without a user or password');
    expect(() => loadConfig(given)).toThrow('REDIS_PASSWORD needs');
  });

  it('takes an empty variable for one that is not set', () => {
    const names = ['DATABASE_URL', 'REDIS_URL', 'APP_SECRET', 'GRANT_KEYS', 'TRUST_PROXY', 'PORT'];
    const empty = Object.fromEntries(names.map((name) => [name, '']));
    expect(loadConfig({ DATA_DIR: dir, ...empty })).toEqual(loadConfig({ DATA_DIR: dir }));
  });

  it('names every variable at fault at once and shows no value', () => {
    const attempt = () =>
      loadConfig({
        PORT: 'eighty',
        PUBLIC_URL: 'ftp://x',
        APP_SECRET: 'too-short-secret',
        SIGNUP: 'maybe',
        RATE_LIMIT_RELAY: '0',
      });
    expect(attempt).toThrow(ConfigError);
    try {
      attempt();
    } catch (error) {
      const variables = (error as ConfigError).variableErrors.map((variableError) => variableError.variable).sort();
      expect(variables).toEqual(['APP_SECRET', 'PORT', 'PUBLIC_URL', 'RATE_LIMIT_RELAY', 'SIGNUP']);
      expect((error as ConfigError).message).not.toContain('too-short-secret');
    }
  });

  it.each([
    ['1', 1],
    [' 1 ', 1],
    ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
    ['loopback,uniquelocal', ['loopback', 'uniquelocal']],
  ])('takes TRUST_PROXY=%s', (value, trusted) => {
    expect(loadConfig({ DATA_DIR: dir, TRUST_PROXY: value }).trustProxy).toEqual(trusted);
  });

  it.each([
    [{}, true],
    [{ HOST: 'localhost', PUBLIC_URL: 'http://127.0.0.1:4000' }, true],
    [{ HOST: '::1', PUBLIC_URL: 'http://[::1]:4000' }, true],
    [{ HOST: '0.0.0.0' }, false],
    [{ HOST: '192.168.0.2' }, false],
    [{ PUBLIC_URL: 'https://api.example.org' }, false],
    [{ TRUST_PROXY: '1' }, false],
    [{ NODE_ENV: 'production' }, false],
    [{ WEBHOOK_ALLOW_HTTP: 'false' }, false],
    [{ WEBHOOK_ALLOW_CIDRS: '10.0.0.0/8' }, false],
    [{ DATABASE_URL: 'postgres://localhost/x', APP_SECRET: 'a'.repeat(32), GRANT_KEYS: createGrantKeys('one') }, false],
  ])('decides with %j whether webhooks may reach this computer', (env, expected) => {
    expect(loadConfig({ DATA_DIR: dir, ...env }).webhooks.allowLoopback).toBe(expected);
  });

  it.each([
    [{}, 'http://localhost:3000'],
    [{ PORT: '3001' }, 'http://localhost:3001'],
    [{ PORT: '80' }, 'http://localhost'],
    [{ PORT: '3001', PUBLIC_URL: 'http://127.0.0.1' }, 'http://127.0.0.1'],
    [{ PUBLIC_URL: 'HTTPS://API.Example.org:443/' }, 'https://api.example.org'],
    [{ PUBLIC_URL: 'https://bücher.example:8443' }, 'https://xn--bcher-kva.example:8443'],
  ])('has with %j the public URL %s', (env, expected) => {
    expect(loadConfig({ DATA_DIR: dir, ...env }).publicUrl).toBe(expected);
  });

  it('takes times in seconds and days, and limits in bytes and records', () => {
    const env = {
      DATABASE_URL: 'postgres://localhost/x',
      APP_SECRET: 'a'.repeat(32),
      GRANT_KEYS: createGrantKeys('one'),
      DATABASE_CONNECTION_TIMEOUT_SECONDS: '60',
      DATABASE_STATEMENT_TIMEOUT_SECONDS: '240',
      PLAN_MAX_APPS: '0',
      PLAN_MAX_STORAGE_BYTES: '1048576',
      DELIVERY_RETENTION_DAYS: '1',
      WEBHOOK_RETRY_SCHEDULE: '0,86399',
    };
    expect(loadConfig(env)).toMatchObject({
      database: { connectionTimeoutSeconds: 60, statementTimeoutSeconds: 240 },
      planLimits: { maxApps: 0, maxStorageBytes: 1_048_576 },
      retentionDays: { deliveries: 1 },
    });
  });

  it('takes what webhooks are allowed', () => {
    const env = {
      DATA_DIR: dir,
      WEBHOOK_ALLOW_HTTP: 'true',
      WEBHOOK_ALLOW_CIDRS: '10.0.0.0/8, fd00::/8',
      WEBHOOK_PROXY_URL: 'http://ada:p%40ss@proxy.example:3128',
      WEBHOOK_RETRY_SCHEDULE: '0, 60',
      WEBHOOK_TIMEOUT_SECONDS: '4',
    };
    expect(loadConfig(env).webhooks).toEqual({
      allowHttp: true,
      allowCidrs: ['10.0.0.0/8', 'fd00::/8'],
      allowLoopback: false,
      proxyUrl: 'http://ada:p%40ss@proxy.example:3128',
      retrySchedule: [0, 60],
      attemptTimeoutSeconds: 4,
    });
  });
});
