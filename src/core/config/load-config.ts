import { resolve } from 'node:path';
import { isLoopbackHost } from '../../common/loopback';
import { Config, type PostgresConfig, type TracingConfig } from './config';
import { DEFAULT_PORT, environmentSchema, settingsSchema, type Environment } from './environment';
import { readOrCreateAppSecrets, readOrCreateGrantKeys } from './embedded-secrets';
import type { GrantKey } from './grant-key';
import {
  findMisspeltVariables,
  readSettingSources,
  type MisspeltVariable,
  type VariableError,
} from './setting-sources';

/** Names of all settings. NODE_ENV is none: libraries read it, too. */
export const SETTING_NAMES: readonly string[] = Object.keys(settingsSchema.shape).filter((name) => name !== 'NODE_ENV');

/** Thrown at start. Names all invalid variables, without values, because some are secret. */
export class ConfigError extends Error {
  constructor(readonly variableErrors: VariableError[]) {
    super(
      [
        'The configuration is not valid:',
        ...variableErrors.map((variableError) => `  ${variableError.variable} ${variableError.message}`),
      ].join('\n'),
    );
    this.name = 'ConfigError';
  }
}

/**
 * Reads and validates the environment and the files that it names (docs/configuration.md).
 * @param chosenPort in place of `PORT`
 * @throws ConfigError with all invalid variables
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env, chosenPort?: number): Config {
  const { values, errors } = readSettingSources(SETTING_NAMES, env);
  // Settings that could not be read are missing, which would make errors of those that need them.
  const schema = errors.length > 0 ? settingsSchema : environmentSchema;
  const parsed = schema.safeParse({ ...values, NODE_ENV: env.NODE_ENV });
  const invalid = (parsed.error?.issues ?? []).map(({ path, message }) => ({ variable: String(path[0]), message }));
  if (!parsed.success || errors.length > 0) throw new ConfigError([...errors, ...invalid]);
  return toConfig({ ...parsed.data, PORT: chosenPort ?? parsed.data.PORT });
}

/** Returns the variables of the environment that probably are misspelt settings, which are ignored. */
export function findMisspeltSettings(env: NodeJS.ProcessEnv = process.env): MisspeltVariable[] {
  return findMisspeltVariables(SETTING_NAMES, env);
}

function toConfig(env: Environment): Config {
  const dataDir = resolve(env.DATA_DIR);
  const isEmbedded = env.DATABASE_URL === undefined;
  const appSecrets = env.APP_SECRET ?? readFromDataDir(dataDir, readOrCreateAppSecrets);
  const grantKeys = env.GRANT_KEYS ?? readFromDataDir(dataDir, readOrCreateGrantKeys);
  return {
    host: env.HOST,
    port: env.PORT,
    publicUrl: env.PUBLIC_URL ?? new URL(`http://localhost:${env.PORT || DEFAULT_PORT}`).origin,
    database: env.DATABASE_URL ? buildPostgresConfig(env, env.DATABASE_URL) : { kind: 'embedded', dataDir },
    redisUrl: buildRedisUrl(env),
    unsignedBusMessages: env.RELAY_BUS_UNSIGNED,
    appSecrets: appSecrets as [string, ...string[]],
    grantKeys: grantKeys as [GrantKey, ...GrantKey[]],
    signup: env.SIGNUP ?? (isEmbedded ? 'open' : 'closed'),
    rateLimits: {
      metadata: env.RATE_LIMIT_METADATA,
      relay: env.RATE_LIMIT_RELAY,
      address: env.RATE_LIMIT_ADDRESS,
    },
    planLimits: {
      maxTokens: env.PLAN_MAX_TOKENS,
      maxApps: env.PLAN_MAX_APPS,
      maxWebhooks: env.PLAN_MAX_WEBHOOKS,
      maxStorageBytes: env.PLAN_MAX_STORAGE_BYTES,
      maxEventBytesPerDay: env.PLAN_MAX_EVENT_BYTES_PER_DAY,
      maxKeptAnswerBytes: env.PLAN_MAX_KEPT_ANSWER_BYTES,
      maxDevices: env.PLAN_MAX_DEVICES,
      maxKeyGrants: env.PLAN_MAX_KEY_GRANTS,
    },
    retentionDays: {
      relayCalls: env.RELAY_CALL_RETENTION_DAYS,
      invocations: env.INVOCATION_RETENTION_DAYS,
      queuedMessages: env.QUEUED_MESSAGE_RETENTION_DAYS,
      deliveries: env.DELIVERY_RETENTION_DAYS,
      usage: env.USAGE_RETENTION_DAYS,
      auditEvents: env.AUDIT_RETENTION_DAYS,
    },
    webhooks: {
      allowHttp: env.WEBHOOK_ALLOW_HTTP ?? false,
      allowCidrs: env.WEBHOOK_ALLOW_CIDRS ?? [],
      allowLoopback: isLocalDevelopment(env) && !env.WEBHOOK_ALLOW_CIDRS && env.WEBHOOK_ALLOW_HTTP === undefined,
      proxyUrl: env.WEBHOOK_PROXY_URL ?? null,
      retrySchedule: env.WEBHOOK_RETRY_SCHEDULE,
      attemptTimeoutSeconds: env.WEBHOOK_TIMEOUT_SECONDS,
    },
    push:
      env.PUSH_VAPID_PRIVATE_KEY && env.PUSH_VAPID_SUBJECT
        ? { ...env.PUSH_VAPID_PRIVATE_KEY, subject: env.PUSH_VAPID_SUBJECT, allowHosts: env.PUSH_ALLOW_HOSTS }
        : null,
    turnLostAfterSeconds: env.TURN_LOST_AFTER_SECONDS,
    eventStreams: {
      perToken: env.EVENT_STREAMS_PER_TOKEN,
      perAccount: env.EVENT_STREAMS_PER_ACCOUNT,
      perInstance: env.EVENT_STREAMS_PER_INSTANCE,
    },
    responseStallSeconds: env.RESPONSE_STALL_SECONDS,
    unjoinedSocketsPerAddress: env.UNJOINED_SOCKETS_PER_ADDRESS,
    shutdownNoticeSeconds: env.SHUTDOWN_NOTICE_SECONDS,
    trustProxy: env.TRUST_PROXY ?? null,
    logLevel: env.LOG_LEVEL,
    isProduction: env.NODE_ENV === 'production',
    metricsPort: env.METRICS_PORT ?? null,
    tracing: env.OTEL_EXPORTER_OTLP_ENDPOINT ? buildTracingConfig(env, env.OTEL_EXPORTER_OTLP_ENDPOINT) : null,
  };
}

/**
 * Returns whether only programs of this computer use the service. A service behind a local proxy has another PUBLIC_URL
 * or trusts the proxy.
 */
function isLocalDevelopment(env: Environment): boolean {
  const isPrivate = !env.DATABASE_URL && env.TRUST_PROXY === undefined && env.NODE_ENV !== 'production';
  return isPrivate && isLoopbackHost(env.HOST) && (!env.PUBLIC_URL || isLoopbackHost(new URL(env.PUBLIC_URL).hostname));
}

function buildPostgresConfig(env: Environment, url: string): PostgresConfig {
  return {
    kind: 'postgres',
    url,
    migrationUrl: env.DATABASE_MIGRATION_URL ?? url,
    poolSize: env.DATABASE_POOL_SIZE,
    connectionTimeoutSeconds: env.DATABASE_CONNECTION_TIMEOUT_SECONDS,
    statementTimeoutSeconds: env.DATABASE_STATEMENT_TIMEOUT_SECONDS,
    preparesStatements: env.DATABASE_PREPARED_STATEMENTS ?? null,
    migratesOnStart: env.MIGRATE_ON_START,
  };
}

function buildTracingConfig(env: Environment, endpoint: string): TracingConfig {
  return {
    endpoint,
    headers: env.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    serviceName: env.OTEL_SERVICE_NAME,
    sampler: { name: env.OTEL_TRACES_SAMPLER, ratio: env.OTEL_TRACES_SAMPLER_ARG },
  };
}

function buildRedisUrl({ REDIS_URL: url, REDIS_PASSWORD: password }: Environment): string | null {
  if (!url) return null;
  return password ? url.replace('://', `://:${encodeURIComponent(password)}@`) : url;
}

function readFromDataDir<T>(dataDir: string, read: (dataDir: string) => T): T {
  try {
    return read(dataDir);
  } catch (error) {
    throw new ConfigError([{ variable: 'DATA_DIR', message: `cannot be used: ${(error as Error).message}` }]);
  }
}
