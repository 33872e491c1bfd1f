import { generateKey } from '@external-api/protocol';
import { loadConfig } from './load-config';

const createGrantKeys = (kid: string) => JSON.stringify([{ ...generateKey('X25519'), kid }]);

describe('the settings of the environment', () => {
  it.each([
    [{ REDIS_URL: 'redis://localhost' }, 'REDIS_URL'],
    [{ DATABASE_URL: 'postgres://localhost/x', GRANT_KEYS: createGrantKeys('one') }, 'APP_SECRET'],
    [{ DATABASE_URL: 'postgres://localhost/x', APP_SECRET: 'x'.repeat(32) }, 'GRANT_KEYS'],
    [{ DATABASE_URL: 'mysql://localhost/x', APP_SECRET: 'x'.repeat(32) }, 'DATABASE_URL'],
    [{ METRICS_PORT: '70000' }, 'METRICS_PORT'],
    [{ DATABASE_CONNECTION_TIMEOUT_SECONDS: '0' }, 'DATABASE_CONNECTION_TIMEOUT_SECONDS'],
    [{ DATABASE_CONNECTION_TIMEOUT_SECONDS: '61' }, 'DATABASE_CONNECTION_TIMEOUT_SECONDS'],
    [{ DATABASE_STATEMENT_TIMEOUT_SECONDS: '241' }, 'DATABASE_STATEMENT_TIMEOUT_SECONDS'],
    [{ DATABASE_STATEMENT_TIMEOUT_SECONDS: '0' }, 'DATABASE_STATEMENT_TIMEOUT_SECONDS'],
    [{ DATABASE_POOL_SIZE: '1' }, 'DATABASE_POOL_SIZE'],
    [{ DATABASE_POOL_SIZE: '1001' }, 'DATABASE_POOL_SIZE'],
    [{ DATABASE_MIGRATION_URL: 'postgres://localhost/x' }, 'DATABASE_MIGRATION_URL needs DATABASE_URL'],
    [{ DATABASE_URL: 'postgres://ada:100%@localhost/x' }, 'DATABASE_URL must write a % in its password as %25'],
    [{ MIGRATE_ON_START: 'no' }, 'MIGRATE_ON_START must be true or false'],
    [{ RELAY_BUS_UNSIGNED: 'yes' }, 'RELAY_BUS_UNSIGNED must be accept or refuse'],
    [{ TURN_LOST_AFTER_SECONDS: '0' }, 'TURN_LOST_AFTER_SECONDS'],
    [{ TURN_LOST_AFTER_SECONDS: '86401' }, 'TURN_LOST_AFTER_SECONDS'],
    [{ EVENT_STREAMS_PER_INSTANCE: '0' }, 'EVENT_STREAMS_PER_INSTANCE'],
    [{ PLAN_MAX_KEY_GRANTS: '1000001' }, 'PLAN_MAX_KEY_GRANTS'],
    [{ PLAN_MAX_DEVICES: '1000001' }, 'PLAN_MAX_DEVICES'],
    [{ PLAN_MAX_EVENT_BYTES_PER_DAY: '1048575' }, 'PLAN_MAX_EVENT_BYTES_PER_DAY'],
    [{ PLAN_MAX_TOKENS: '-1' }, 'PLAN_MAX_TOKENS'],
    [{ PLAN_MAX_DEVICES: '0' }, 'PLAN_MAX_DEVICES'],
    [{ PLAN_MAX_STORAGE_BYTES: '1GiB' }, 'PLAN_MAX_STORAGE_BYTES must be a whole number'],
    [{ PLAN_MAX_STORAGE_BYTES: '1024' }, 'PLAN_MAX_STORAGE_BYTES must be a number of bytes, at least 1048576'],
    [{ USAGE_RETENTION_DAYS: '0' }, 'USAGE_RETENTION_DAYS'],
    [{ USAGE_RETENTION_DAYS: '3651' }, 'USAGE_RETENTION_DAYS'],
    [
      { DELIVERY_RETENTION_DAYS: '3' },
      'DELIVERY_RETENTION_DAYS must be longer than the waits of WEBHOOK_RETRY_SCHEDULE',
    ],
    [{ DELIVERY_RETENTION_DAYS: '1', WEBHOOK_RETRY_SCHEDULE: '0,86400' }, 'DELIVERY_RETENTION_DAYS'],
    [{ TRUST_PROXY: 'my-proxy' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: '10.0.0.0/99' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: ',' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: '1,10.0.0.1' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: '10/8' }, 'TRUST_PROXY'],
    [{ PUBLIC_URL: 'https://api.example.org/base' }, 'PUBLIC_URL'],
    [{ PUBLIC_URL: 'https://api.example.org/?' }, 'PUBLIC_URL'],
    [{ PUBLIC_URL: 'https://user@api.example.org' }, 'PUBLIC_URL'],
    [{ APP_SECRET: `${'x'.repeat(32)},short` }, 'APP_SECRET'],
    [{ APP_SECRET: 'x'.repeat(31) }, 'APP_SECRET'],
    [{ PORT: ' ' }, 'PORT'],
    [{ PORT: '0x50' }, 'PORT'],
    [{ RATE_LIMIT_RELAY: '1e3' }, 'RATE_LIMIT_RELAY'],
    [{ WEBHOOK_ALLOW_HTTP: 'yes' }, 'WEBHOOK_ALLOW_HTTP'],
    [{ WEBHOOK_ALLOW_CIDRS: '10.0.0.0/33' }, 'WEBHOOK_ALLOW_CIDRS'],
    [{ WEBHOOK_ALLOW_CIDRS: '10.0.0.1' }, 'WEBHOOK_ALLOW_CIDRS'],
    [{ WEBHOOK_PROXY_URL: 'socks5://proxy.example:1080' }, 'WEBHOOK_PROXY_URL must be an http or https URL'],
    [{ WEBHOOK_PROXY_URL: 'http://ada:a/b@proxy.example' }, 'WEBHOOK_PROXY_URL must'],
    [{ WEBHOOK_PROXY_URL: 'http://ada:100%@proxy.example' }, 'WEBHOOK_PROXY_URL must write a % in its password as %25'],
    [{ WEBHOOK_RETRY_SCHEDULE: '0,5m' }, 'WEBHOOK_RETRY_SCHEDULE'],
    [{ WEBHOOK_RETRY_SCHEDULE: '-1' }, 'WEBHOOK_RETRY_SCHEDULE'],
    [{ WEBHOOK_RETRY_SCHEDULE: ',' }, 'WEBHOOK_RETRY_SCHEDULE'],
    [{ WEBHOOK_RETRY_SCHEDULE: '0,604801' }, 'WEBHOOK_RETRY_SCHEDULE must'],
    [{ WEBHOOK_RETRY_SCHEDULE: '0,'.repeat(51) }, 'WEBHOOK_RETRY_SCHEDULE must'],
    [{ WEBHOOK_TIMEOUT_SECONDS: '3' }, 'WEBHOOK_TIMEOUT_SECONDS'],
    [{ WEBHOOK_TIMEOUT_SECONDS: '21' }, 'WEBHOOK_TIMEOUT_SECONDS'],
  ])('are refused: %j', (env, variable) => {
    expect(() => loadConfig(env)).toThrow(variable);
  });

  it('are each taken for their own purpose', () => {
    const names = [
      ...['RATE_LIMIT_METADATA', 'RATE_LIMIT_RELAY', 'RATE_LIMIT_ADDRESS'],
      ...['PLAN_MAX_TOKENS', 'PLAN_MAX_APPS', 'PLAN_MAX_WEBHOOKS', 'PLAN_MAX_STORAGE_BYTES'],
      ...['PLAN_MAX_EVENT_BYTES_PER_DAY', 'PLAN_MAX_KEPT_ANSWER_BYTES', 'PLAN_MAX_DEVICES', 'PLAN_MAX_KEY_GRANTS'],
      ...['RELAY_CALL_RETENTION_DAYS', 'INVOCATION_RETENTION_DAYS', 'QUEUED_MESSAGE_RETENTION_DAYS'],
      ...['DELIVERY_RETENTION_DAYS', 'USAGE_RETENTION_DAYS', 'AUDIT_RETENTION_DAYS'],
      ...['TURN_LOST_AFTER_SECONDS', 'RESPONSE_STALL_SECONDS', 'UNJOINED_SOCKETS_PER_ADDRESS'],
      ...['EVENT_STREAMS_PER_TOKEN', 'EVENT_STREAMS_PER_ACCOUNT', 'EVENT_STREAMS_PER_INSTANCE'],
    ];
    const numberOf = (name: string) => (/_BYTES/.test(name) ? 2_000_000 : 100) + names.indexOf(name);
    const config = loadConfig({
      ...Object.fromEntries(names.map((name) => [name, String(numberOf(name))])),
      DATABASE_URL: 'postgres://localhost/pooled',
      DATABASE_MIGRATION_URL: 'postgres://localhost/direct',
      DATABASE_POOL_SIZE: '7',
      DATABASE_PREPARED_STATEMENTS: 'false',
      MIGRATE_ON_START: 'false',
      APP_SECRET: 'a'.repeat(32),
      GRANT_KEYS: createGrantKeys('one'),
      RELAY_BUS_UNSIGNED: 'accept',
      SIGNUP: 'open',
      LOG_LEVEL: 'warn',
      METRICS_PORT: '9090',
    });
    expect(config).toMatchObject({
      database: {
        url: 'postgres://localhost/pooled',
        migrationUrl: 'postgres://localhost/direct',
        poolSize: 7,
        preparesStatements: false,
        migratesOnStart: false,
      },
      unsignedBusMessages: 'accept',
      signup: 'open',
      logLevel: 'warn',
      metricsPort: 9_090,
      turnLostAfterSeconds: numberOf('TURN_LOST_AFTER_SECONDS'),
      responseStallSeconds: numberOf('RESPONSE_STALL_SECONDS'),
      unjoinedSocketsPerAddress: numberOf('UNJOINED_SOCKETS_PER_ADDRESS'),
    });
    expect(config.rateLimits).toEqual({
      metadata: numberOf('RATE_LIMIT_METADATA'),
      relay: numberOf('RATE_LIMIT_RELAY'),
      address: numberOf('RATE_LIMIT_ADDRESS'),
    });
    expect(config.planLimits).toEqual({
      maxTokens: numberOf('PLAN_MAX_TOKENS'),
      maxApps: numberOf('PLAN_MAX_APPS'),
      maxWebhooks: numberOf('PLAN_MAX_WEBHOOKS'),
      maxStorageBytes: numberOf('PLAN_MAX_STORAGE_BYTES'),
      maxEventBytesPerDay: numberOf('PLAN_MAX_EVENT_BYTES_PER_DAY'),
      maxKeptAnswerBytes: numberOf('PLAN_MAX_KEPT_ANSWER_BYTES'),
      maxDevices: numberOf('PLAN_MAX_DEVICES'),
      maxKeyGrants: numberOf('PLAN_MAX_KEY_GRANTS'),
    });
    expect(config.retentionDays).toEqual({
      relayCalls: numberOf('RELAY_CALL_RETENTION_DAYS'),
      invocations: numberOf('INVOCATION_RETENTION_DAYS'),
      queuedMessages: numberOf('QUEUED_MESSAGE_RETENTION_DAYS'),
      deliveries: numberOf('DELIVERY_RETENTION_DAYS'),
      usage: numberOf('USAGE_RETENTION_DAYS'),
      auditEvents: numberOf('AUDIT_RETENTION_DAYS'),
    });
    expect(config.eventStreams).toEqual({
      perToken: numberOf('EVENT_STREAMS_PER_TOKEN'),
      perAccount: numberOf('EVENT_STREAMS_PER_ACCOUNT'),
      perInstance: numberOf('EVENT_STREAMS_PER_INSTANCE'),
    });
  });

  it('migrate at start, by the address of the database, unless the operator sets another', () => {
    const env = { DATABASE_URL: 'postgres://localhost/x', APP_SECRET: 'a'.repeat(32) };
    expect(loadConfig({ ...env, GRANT_KEYS: createGrantKeys('one') }).database).toMatchObject({
      migrationUrl: env.DATABASE_URL,
      migratesOnStart: true,
      preparesStatements: null,
    });
  });
});
