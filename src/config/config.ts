/** Everything the service was told, typed and valid; nothing else reads the environment. */
export abstract class Config {
  abstract readonly host: string;
  abstract readonly port: number;
  /** The host root as callers see it, without a trailing slash. */
  abstract readonly publicUrl: string;
  abstract readonly database: DatabaseConfig;
  /** null: one process, limits and relay in memory */
  abstract readonly redisUrl: string | null;
  /** The first seals, all open. */
  abstract readonly appSecrets: readonly [string, ...string[]];
  abstract readonly signup: 'open' | 'closed';
  /** Calls per minute and account. */
  abstract readonly rateLimits: { metadata: number; relay: number };
  /** Express `trust proxy`: hop count or addresses; null: off */
  abstract readonly trustProxy: number | string[] | null;
  abstract readonly logLevel: string;
  abstract readonly metricsPort: number | null;
}

export type DatabaseConfig = { kind: 'postgres'; url: string } | { kind: 'embedded'; dataDir: string };
