import { resolve } from 'node:path';
import { Config } from './config';
import { environmentSchema, type Environment } from './environment';
import { readOrCreateAppSecret, readOrCreateGrantKeys } from './embedded-secrets';
import type { GrantKey } from './grant-key';

/** Thrown at start. Names all invalid variables, without values, because some are secret. */
export class ConfigError extends Error {
  constructor(readonly variableErrors: { variable: string; message: string }[]) {
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
 * Reads and validates the environment (README.md#configuration).
 * @throws ConfigError with all invalid variables
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const nonEmpty = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environmentSchema.safeParse(nonEmpty);
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues.map((issue) => ({ variable: String(issue.path[0]), message: issue.message })),
    );
  }
  return toConfig(parsed.data);
}

function toConfig(env: Environment): Config {
  const dataDir = resolve(env.DATA_DIR);
  const isEmbedded = env.DATABASE_URL === undefined;
  const appSecrets = env.APP_SECRET ?? [readFromDataDir(dataDir, readOrCreateAppSecret)];
  const grantKeys = env.GRANT_KEYS ?? readFromDataDir(dataDir, readOrCreateGrantKeys);
  return {
    host: env.HOST,
    port: env.PORT,
    publicUrl: env.PUBLIC_URL,
    database: isEmbedded ? { kind: 'embedded', dataDir } : { kind: 'postgres', url: env.DATABASE_URL! },
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
    webhooks: {
      allowHttp: env.WEBHOOK_ALLOW_HTTP,
      allowCidrs: env.WEBHOOK_ALLOW_CIDRS,
      retrySchedule: env.WEBHOOK_RETRY_SCHEDULE,
      attemptTimeoutSeconds: env.WEBHOOK_TIMEOUT_SECONDS,
    },
    turnLostAfterSeconds: env.TURN_LOST_AFTER_SECONDS,
    eventStreams: {
      perToken: env.EVENT_STREAMS_PER_TOKEN,
      perAccount: env.EVENT_STREAMS_PER_ACCOUNT,
      perInstance: env.EVENT_STREAMS_PER_INSTANCE,
    },
    responseStallSeconds: env.RESPONSE_STALL_SECONDS,
    unjoinedSocketsPerAddress: env.UNJOINED_SOCKETS_PER_ADDRESS,
    trustProxy: env.TRUST_PROXY ?? null,
    logLevel: env.LOG_LEVEL,
    metricsPort: env.METRICS_PORT ?? null,
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
