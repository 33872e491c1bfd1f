import ipaddr from 'ipaddr.js';
import { compile } from 'proxy-addr';
import { z } from 'zod';
import { SAMPLER_NAMES } from './config';
import { parseAppSecrets } from './embedded-secrets';
import { parseGrantKeys } from './grant-key';
import { parseClusterUrl, parseSentinelUrl } from './redis-url';
import { parseVapidKey } from './vapid-key';

const parseList = (value: string) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);

const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/, { error: 'must be a whole number' })
  .transform(Number);
const portNumber = wholeNumber.pipe(z.number().max(65_535));
const positiveInteger = wholeNumber.pipe(z.number().min(1).max(1_000_000));
/** 0 forbids new records of a kind. */
const recordLimit = wholeNumber.pipe(z.number().max(1_000_000));
/** A pebibyte, which JSON numbers represent exactly. */
const MAX_BYTES = 2 ** 50;
/** A smaller number was probably meant in another unit. */
const storageBytes = wholeNumber.pipe(
  z.number().min(1_048_576, { error: 'must be a number of bytes, at least 1048576' }).max(MAX_BYTES),
);
const storedResponseBytes = wholeNumber.pipe(z.number().max(MAX_BYTES));
/** A record must outlive its call. */
const retentionDays = wholeNumber.pipe(z.number().min(1).max(3_650));
/** Ends before the time after which a statement behind a pooler counts as lost (`ConnectionMonitor`). */
const statementTimeout = wholeNumber.pipe(z.number().min(1).max(240));
/** Callers wait as long before they get 503. */
const connectionTimeout = wholeNumber.pipe(z.number().min(1).max(60));
const nonEmptyText = z.string().trim().min(1);

const httpOrigin = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine((value) => URL.canParse(value) && `${new URL(value).origin}/` === new URL(value).href, {
    error: 'must have no path, query, fragment or credentials',
  })
  // As browsers write it: the console signs nothing for a service that names another address than the browser.
  .transform((value) => new URL(value).origin);

const trustedProxies = z
  .string()
  .trim()
  .refine((value) => /^\d+$/.test(value) || areAddresses(parseList(value)), {
    error: 'must be a number of hops or a list of addresses and CIDRs',
  })
  .transform((value) => (/^\d+$/.test(value) ? Number(value) : parseList(value)));

const appSecrets = z
  .string()
  .transform(parseAppSecrets)
  .refine((secrets) => secrets !== null, {
    error: 'must be one or more secrets of at least 32 characters each',
  });

const grantKeys = z
  .string()
  .transform(parseGrantKeys)
  .refine((keys) => keys !== null, {
    error: 'must be a JSON array of X25519 private JWKs (kty, crv, x, d), each with a unique kid',
  });
const cidrList = z
  .string()
  .transform(parseList)
  .refine((list) => list.every(isCidr), { error: 'must be a list of CIDRs, such as 10.0.0.0/8' });

const proxyUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine((value) => URL.canParse(value) && new URL('/', value).href === new URL(value).href, {
    error: 'must have no path, query or fragment',
  })
  .refine(isDecodable, { error: 'must write a % in its password as %25' });

const vapidKey = z
  .string()
  .transform(parseVapidKey)
  .refine((key) => key !== null, { error: 'must be a private key that the admin command "push-keys" prints' });
/** RFC 8292 §2.1. */
const vapidSubject = z
  .string()
  .regex(/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, { error: 'must be a mailto: or an https: address' });
const hostPatterns = z
  .string()
  .transform((value) => parseList(value.toLowerCase()))
  .refine((list) => list.length > 0 && list.every((host) => /^(?:\*\.)?[a-z0-9][a-z0-9.-]*$/.test(host)), {
    error: 'must be a list of host names, each of which may begin with *.',
  });
/** Push services of the browsers that people use. */
const BROWSER_PUSH_HOSTS = [
  'fcm.googleapis.com',
  'updates.push.services.mozilla.com',
  '*.push.apple.com',
  '*.notify.windows.com',
];

const trueOrFalse = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((value) => value === 'true');
const postgresUrl = z
  .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' })
  .refine(isDecodable, { error: 'must write a % in its password as %25' });

const collectorUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
const headerList = z
  .string()
  .transform(parseHeaders)
  .refine((headers) => headers !== null, { error: 'must be a list of name=value, with a percent-encoded value' })
  .transform((headers) => headers ?? {});
const samplerName = z.enum(SAMPLER_NAMES, { error: `must be one of ${SAMPLER_NAMES.join(', ')}` });
const samplerRatio = z
  .string()
  .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, { error: 'must be a number from 0 to 1' })
  .transform(Number);

/** A lease is three times as long, and must leave time to record results. A graceful shutdown waits for attempts. */
const webhookTimeout = wholeNumber.pipe(z.number().min(4).max(20));
/** A graceful shutdown takes at most 50 seconds, and needs the rest for devices and calls. */
const shutdownNotice = wholeNumber.pipe(z.number().max(30));
/** A device reconnects within seconds when its instance stops, so that shorter times are for tests only. */
const turnLostAfter = wholeNumber.pipe(z.number().min(1).max(86_400));
const SECONDS_PER_DAY = 86_400;
const MAX_RETRY_DELAY_SECONDS = 7 * SECONDS_PER_DAY;
const retrySchedule = z
  .string()
  .transform(parseList)
  .refine((list) => list.length > 0 && list.length <= 50 && list.every(isRetryDelay), {
    error: `must be a list of 1 to 50 waits, each a whole number of seconds up to ${MAX_RETRY_DELAY_SECONDS}`,
  })
  .transform((list) => list.map(Number));

export const DEFAULT_PORT = 3000;

function isRedisUrl(value: string): boolean {
  if (parseSentinelUrl(value) || parseClusterUrl(value)) return true;
  return /^rediss?:\/\//.test(value) && URL.canParse(value);
}

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}

/** Parses the format of OTEL_EXPORTER_OTLP_HEADERS, or returns null. */
function parseHeaders(text: string): Record<string, string> | null {
  const pairs = parseList(text).map((item) => /^([\w!#$%&'*+.^`|~-]+)\s*=(.*)$/.exec(item));
  if (!pairs.every((pair) => pair && isDecodable(pair[2]!))) return null;
  return Object.fromEntries(pairs.map((pair) => [pair![1]!, decodeURIComponent(pair![2]!.trim())]));
}

/** `compile` takes a whole number, such as one of hops, for an IPv4 address. */
function areAddresses(list: string[]): boolean {
  try {
    compile(list);
    return list.length > 0 && !list.some((item) => /^\d+(\/|$)/.test(item));
  } catch {
    return false;
  }
}

function isCidr(value: string): boolean {
  try {
    ipaddr.parseCIDR(value);
    return true;
  } catch {
    return false;
  }
}

function isRetryDelay(value: string): boolean {
  return /^\d{1,9}$/.test(value) && Number(value) <= MAX_RETRY_DELAY_SECONDS;
}

/** Schema of each setting (docs/configuration.md). Empty variables count as unset. */
export const settingsSchema = z.object({
  HOST: nonEmptyText.default('127.0.0.1'),
  PORT: portNumber.default(DEFAULT_PORT),
  PUBLIC_URL: httpOrigin.optional(),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_MIGRATION_URL: postgresUrl.optional(),
  DATABASE_POOL_SIZE: wholeNumber.pipe(z.number().min(2).max(1_000)).default(20),
  DATABASE_CONNECTION_TIMEOUT_SECONDS: connectionTimeout.default(5),
  DATABASE_STATEMENT_TIMEOUT_SECONDS: statementTimeout.default(60),
  DATABASE_PREPARED_STATEMENTS: trueOrFalse.optional(),
  MIGRATE_ON_START: trueOrFalse.default(true),
  REDIS_URL: z
    .string()
    .refine((value) => isDecodable(value) && isRedisUrl(value), {
      error: 'must be a redis:// or rediss:// URL, redis+sentinel://host:port,…/master, or redis+cluster://host:port,…',
    })
    .optional(),
  REDIS_PASSWORD: z.string().optional(),
  RELAY_BUS_UNSIGNED: z.enum(['accept', 'refuse'], { error: 'must be accept or refuse' }).default('refuse'),
  DATA_DIR: nonEmptyText.default('./data'),
  APP_SECRET: appSecrets.optional(),
  GRANT_KEYS: grantKeys.optional(),
  SIGNUP: z.enum(['open', 'closed'], { error: 'must be open or closed' }).optional(),
  RATE_LIMIT_METADATA: positiveInteger.default(600),
  RATE_LIMIT_ADDRESS: positiveInteger.default(60),
  RATE_LIMIT_RELAY: positiveInteger.default(60),
  PLAN_MAX_TOKENS: recordLimit.default(50),
  PLAN_MAX_APPS: recordLimit.default(20),
  PLAN_MAX_WEBHOOKS: recordLimit.default(20),
  PLAN_MAX_STORAGE_BYTES: storageBytes.default(1_073_741_824),
  PLAN_MAX_EVENT_BYTES_PER_DAY: storageBytes.default(536_870_912),
  PLAN_MAX_KEPT_ANSWER_BYTES: storedResponseBytes.default(268_435_456),
  PLAN_MAX_DEVICES: positiveInteger.default(1_000),
  PLAN_MAX_KEY_GRANTS: recordLimit.default(10_000),
  RELAY_CALL_RETENTION_DAYS: retentionDays.default(30),
  INVOCATION_RETENTION_DAYS: retentionDays.default(30),
  QUEUED_MESSAGE_RETENTION_DAYS: retentionDays.default(30),
  DELIVERY_RETENTION_DAYS: retentionDays.default(30),
  USAGE_RETENTION_DAYS: retentionDays.default(400),
  AUDIT_RETENTION_DAYS: retentionDays.default(400),
  WEBHOOK_ALLOW_HTTP: trueOrFalse.optional(),
  WEBHOOK_ALLOW_CIDRS: cidrList.optional(),
  WEBHOOK_PROXY_URL: proxyUrl.optional(),
  WEBHOOK_RETRY_SCHEDULE: retrySchedule.default([0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]),
  WEBHOOK_TIMEOUT_SECONDS: webhookTimeout.default(20),
  PUSH_VAPID_PRIVATE_KEY: vapidKey.optional(),
  PUSH_VAPID_SUBJECT: vapidSubject.optional(),
  PUSH_ALLOW_HOSTS: hostPatterns.default(BROWSER_PUSH_HOSTS),
  TURN_LOST_AFTER_SECONDS: turnLostAfter.default(900),
  EVENT_STREAMS_PER_TOKEN: positiveInteger.default(10),
  EVENT_STREAMS_PER_ACCOUNT: positiveInteger.default(50),
  EVENT_STREAMS_PER_INSTANCE: positiveInteger.default(2_000),
  RESPONSE_STALL_SECONDS: positiveInteger.default(30),
  UNJOINED_SOCKETS_PER_ADDRESS: positiveInteger.default(20),
  SHUTDOWN_NOTICE_SECONDS: shutdownNotice.default(5),
  TRUST_PROXY: trustedProxies.optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  METRICS_PORT: portNumber.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headerList.optional(),
  OTEL_SERVICE_NAME: nonEmptyText.default('external-api'),
  OTEL_TRACES_SAMPLER: samplerName.default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: samplerRatio.default(1),
  NODE_ENV: z.string().optional(),
});

/** Schema of all settings, with what they require of each other. */
export const environmentSchema = settingsSchema.superRefine((env, context) => {
  if (env.REDIS_URL && !env.DATABASE_URL) {
    context.addIssue({
      code: 'custom',
      path: ['REDIS_URL'],
      message: 'needs DATABASE_URL: the embedded database serves one process only',
    });
  }
  if (env.REDIS_PASSWORD && (!env.REDIS_URL || /\/\/[^/]*@/.test(env.REDIS_URL))) {
    context.addIssue({
      code: 'custom',
      path: ['REDIS_PASSWORD'],
      message: 'needs a REDIS_URL without a user or password',
    });
  }
  if (env.DATABASE_MIGRATION_URL && !env.DATABASE_URL) {
    context.addIssue({ code: 'custom', path: ['DATABASE_MIGRATION_URL'], message: 'needs DATABASE_URL' });
  }
  if (!env.PUSH_VAPID_PRIVATE_KEY !== !env.PUSH_VAPID_SUBJECT) {
    const [given, missing] = env.PUSH_VAPID_SUBJECT
      ? ['PUSH_VAPID_SUBJECT', 'PUSH_VAPID_PRIVATE_KEY']
      : ['PUSH_VAPID_PRIVATE_KEY', 'PUSH_VAPID_SUBJECT'];
    context.addIssue({ code: 'custom', path: [given], message: `needs ${missing}` });
  }
  const lastAttemptSeconds = env.WEBHOOK_RETRY_SCHEDULE.reduce((sum, seconds) => sum + seconds, 0);
  if (lastAttemptSeconds >= env.DELIVERY_RETENTION_DAYS * SECONDS_PER_DAY) {
    context.addIssue({
      code: 'custom',
      path: ['DELIVERY_RETENTION_DAYS'],
      message: 'must be longer than the waits of WEBHOOK_RETRY_SCHEDULE together, or deliveries expire before they end',
    });
  }
  if (env.DATABASE_URL && !env.APP_SECRET) {
    context.addIssue({
      code: 'custom',
      path: ['APP_SECRET'],
      message: 'is required with DATABASE_URL (32 characters or more)',
    });
  }
  if (env.DATABASE_URL && !env.GRANT_KEYS) {
    context.addIssue({
      code: 'custom',
      path: ['GRANT_KEYS'],
      message: 'is required with DATABASE_URL (a JSON array of X25519 private JWKs)',
    });
  }
});

export type Environment = z.infer<typeof environmentSchema>;
