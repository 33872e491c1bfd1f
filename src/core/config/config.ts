import type { GrantKey } from './grant-key';
import type { VapidKey } from './vapid-key';

/** Validated configuration of the service. No other code reads the environment. */
export abstract class Config {
  abstract readonly host: string;
  abstract readonly port: number;
  /** Public URL of the host root, without a trailing slash. */
  abstract readonly publicUrl: string;
  abstract readonly database: DatabaseConfig;
  /** null: a single process with rate limits and relay in memory. */
  abstract readonly redisUrl: string | null;
  /** Whether to accept unsigned bus messages, which instances of the previous release send during a deployment. */
  abstract readonly unsignedBusMessages: 'accept' | 'refuse';
  /** The first secret encrypts and signs; all decrypt and verify. */
  abstract readonly appSecrets: readonly [string, ...string[]];
  /** Devices seal key grants to the first key; the service opens them with any of the keys. */
  abstract readonly grantKeys: readonly [GrantKey, ...GrantKey[]];
  abstract readonly signup: 'open' | 'closed';
  /** Calls per minute: `metadata` and `relay` per account, `address` per IP address without a valid credential. */
  abstract readonly rateLimits: { metadata: number; relay: number; address: number };
  /** Limits of an account's plan, unless an operator overrides them. */
  abstract readonly planLimits: PlanLimitConfig;
  /** Days for which rows are stored. */
  abstract readonly retentionDays: RetentionConfig;
  abstract readonly webhooks: WebhookConfig;
  /** null: no notifications of browsers. */
  abstract readonly push: PushConfig | null;
  /** Seconds that a device may be away before its open turns are lost. */
  abstract readonly turnLostAfterSeconds: number;
  /** Event streams that may be open on an instance. */
  abstract readonly eventStreams: { perToken: number; perAccount: number; perInstance: number };
  /** Seconds after which a response whose client reads nothing is aborted. */
  abstract readonly responseStallSeconds: number;
  /** Maximum number of device sockets per IP address that have not joined yet. */
  abstract readonly unjoinedSocketsPerAddress: number;
  /** Seconds for which an instance that is shutting down still serves calls, for load balancers to notice. */
  abstract readonly shutdownNoticeSeconds: number;
  /** Trusted proxies: hop count, or addresses and ranges; null: none. */
  abstract readonly trustProxy: number | string[] | null;
  abstract readonly logLevel: string;
  /** Whether NODE_ENV is `production`, as in the image. */
  abstract readonly isProduction: boolean;
  abstract readonly metricsPort: number | null;
  /** null: no spans. */
  abstract readonly tracing: TracingConfig | null;
}

export interface PlanLimitConfig {
  maxTokens: number;
  maxApps: number;
  maxWebhooks: number;
  maxStorageBytes: number;
  /** Bytes of events and deliveries of an account per day. */
  maxEventBytesPerDay: number;
  /** Bytes of responses stored for an `Idempotency-Key`. */
  maxKeptAnswerBytes: number;
  maxDevices: number;
  maxKeyGrants: number;
}

export interface RetentionConfig {
  relayCalls: number;
  invocations: number;
  queuedMessages: number;
  /** Deliveries of webhooks and their attempts. */
  deliveries: number;
  usage: number;
  auditEvents: number;
}

export interface WebhookConfig {
  allowHttp: boolean;
  /** CIDRs to which webhooks may be delivered, in addition to public unicast addresses. */
  allowCidrs: readonly string[];
  /** Whether webhooks may reach this computer's loopback addresses, and `localhost` over plain http. */
  allowLoopback: boolean;
  /** URL of the forward proxy for deliveries, which may contain a password. */
  proxyUrl: string | null;
  /** Seconds to wait before each attempt. Its length is the number of attempts. */
  retrySchedule: readonly number[];
  /** Timeout of one attempt in seconds, from DNS resolution to the last byte of the response. */
  attemptTimeoutSeconds: number;
}

export interface PushConfig extends VapidKey {
  /** Where push services reach the operator: a mailto: or https: address. */
  subject: string;
  /** Names of the hosts to which push messages are sent, in lower case. `*.` stands for one or more labels. */
  allowHosts: readonly string[];
}

export interface TracingConfig {
  /** Address of the OTLP collector, without the path of traces. */
  endpoint: string;
  /** Headers of exports, which may be secret. */
  headers: Record<string, string>;
  serviceName: string;
  /** The ratio, 0 to 1, applies to samplers by trace id. */
  sampler: { name: SamplerName; ratio: number };
}

/** Samplers of the OpenTelemetry specification. */
export const SAMPLER_NAMES = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof SAMPLER_NAMES)[number];

export interface PostgresConfig {
  kind: 'postgres';
  url: string;
  /** Direct connection, for migrations and the lock of a single instance. The same as `url` without a pooler. */
  migrationUrl: string;
  /** Connections of one instance. */
  poolSize: number;
  /** Seconds to wait for a connection of the pool, or for a new one. */
  connectionTimeoutSeconds: number;
  statementTimeoutSeconds: number;
  /** Whether frequent statements are prepared. null: on direct connections, not on those to a pooler. */
  preparesStatements: boolean | null;
  /** Whether pending migrations run at start. Otherwise the service refuses to start while there are any. */
  migratesOnStart: boolean;
}

export type DatabaseConfig = PostgresConfig | { kind: 'embedded'; dataDir: string };
