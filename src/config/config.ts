import type { GrantKey } from './grant-key';

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
  /** Key grants are sealed to the first; all open them. */
  abstract readonly grantKeys: readonly [GrantKey, ...GrantKey[]];
  abstract readonly signup: 'open' | 'closed';
  /** Calls per minute and account. */
  abstract readonly rateLimits: { metadata: number; relay: number };
  abstract readonly webhooks: WebhookConfig;
  /** Express `trust proxy`: hop count or addresses; null: off */
  abstract readonly trustProxy: number | string[] | null;
  abstract readonly logLevel: string;
  abstract readonly metricsPort: number | null;
}

export interface WebhookConfig {
  allowHttp: boolean;
  /** Beside public unicast addresses: CIDRs that deliveries may go to. */
  allowCidrs: readonly string[];
  /** Seconds before each try; as many as there are tries. */
  retrySchedule: readonly number[];
}

export type DatabaseConfig = { kind: 'postgres'; url: string } | { kind: 'embedded'; dataDir: string };
