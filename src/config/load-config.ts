import { resolve } from 'node:path';
import { Config } from './config';
import { environmentSchema, type Environment } from './environment';
import { embeddedAppSecret, embeddedGrantKeys } from './embedded-secrets';
import type { GrantKey } from './grant-key';

/** Names every variable at fault; values are left out because some are secrets. */
export class ConfigError extends Error {
  constructor(readonly faults: { variable: string; message: string }[]) {
    super(['The configuration is not valid:', ...faults.map((f) => `  ${f.variable} ${f.message}`)].join('\n'));
    this.name = 'ConfigError';
  }
}

/**
 * Reads and validates the environment (operations.md, Configuration).
 * @throws ConfigError with all faults at once
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environmentSchema.safeParse(given);
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues.map((issue) => ({ variable: String(issue.path[0]), message: issue.message })),
    );
  }
  return toConfig(parsed.data);
}

function toConfig(env: Environment): Config {
  const dataDir = resolve(env.DATA_DIR);
  const embedded = env.DATABASE_URL === undefined;
  const appSecrets = env.APP_SECRET ?? [keptIn(dataDir, embeddedAppSecret)];
  const grantKeys = env.GRANT_KEYS ?? keptIn(dataDir, embeddedGrantKeys);
  return {
    host: env.HOST,
    port: env.PORT,
    publicUrl: env.PUBLIC_URL,
    database: embedded ? { kind: 'embedded', dataDir } : { kind: 'postgres', url: env.DATABASE_URL! },
    redisUrl: env.REDIS_URL ?? null,
    appSecrets: appSecrets as [string, ...string[]],
    grantKeys: grantKeys as [GrantKey, ...GrantKey[]],
    signup: env.SIGNUP ?? (embedded ? 'open' : 'closed'),
    rateLimits: { metadata: env.RATE_LIMIT_METADATA, relay: env.RATE_LIMIT_RELAY },
    webhooks: {
      allowHttp: env.WEBHOOK_ALLOW_HTTP,
      allowCidrs: env.WEBHOOK_ALLOW_CIDRS,
      retrySchedule: env.WEBHOOK_RETRY_SCHEDULE,
    },
    trustProxy: env.TRUST_PROXY ?? null,
    logLevel: env.LOG_LEVEL,
    metricsPort: env.METRICS_PORT ?? null,
  };
}

function keptIn<T>(dataDir: string, read: (dataDir: string) => T): T {
  try {
    return read(dataDir);
  } catch (error) {
    throw new ConfigError([{ variable: 'DATA_DIR', message: `cannot be used: ${(error as Error).message}` }]);
  }
}
