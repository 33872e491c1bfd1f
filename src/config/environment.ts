import { compile } from 'proxy-addr';
import { z } from 'zod';

const LIST = (value: string) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);

const digits = z
  .string()
  .regex(/^\d{1,15}$/, { error: 'must be a whole number' })
  .transform(Number);
const port = digits.pipe(z.number().max(65_535));
const positive = digits.pipe(z.number().min(1).max(1_000_000));
const text = z.string().trim().min(1);

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine((value) => URL.canParse(value) && `${new URL(value).origin}/` === new URL(value).href, {
    error: 'must have no path, query, fragment or credentials',
  })
  .transform((value) => value.replace(/\/$/, ''));

const proxies = z
  .string()
  .refine((value) => /^\d+$/.test(value) || areAddresses(LIST(value)), {
    error: 'must be a number of hops or a list of addresses and CIDRs',
  })
  .transform((value) => (/^\d+$/.test(value) ? Number(value) : LIST(value)));

const secrets = z
  .string()
  .transform(LIST)
  .refine((list) => list.length > 0 && list.every((secret) => secret.length >= 32), {
    error: 'must be one or more secrets of at least 32 characters each',
  });

const SENTINELS = /^rediss?\+sentinel:\/\/([^@/]*@)?[^@/]+\/[\w.-]+(\/\d+)?$/;

function isRedisUrl(value: string): boolean {
  return SENTINELS.test(value) || (/^rediss?:\/\//.test(value) && URL.canParse(value));
}

function areAddresses(list: string[]): boolean {
  try {
    compile(list);
    return list.length > 0;
  } catch {
    return false;
  }
}

/** The variables of operations.md as they stand in the environment; an empty one counts as unset. */
export const environmentSchema = z
  .object({
    HOST: text.default('127.0.0.1'),
    PORT: port.default(3000),
    PUBLIC_URL: httpUrl.default('http://localhost:3000'),
    DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' }).optional(),
    REDIS_URL: z
      .string()
      .refine((value) => isRedisUrl(value), {
        error: 'must be a redis:// or rediss:// URL, or redis+sentinel://host:port,…/master',
      })
      .optional(),
    DATA_DIR: text.default('./data'),
    APP_SECRET: secrets.optional(),
    SIGNUP: z.enum(['open', 'closed'], { error: 'must be open or closed' }).optional(),
    RATE_LIMIT_METADATA: positive.default(600),
    RATE_LIMIT_RELAY: positive.default(60),
    TRUST_PROXY: proxies.optional(),
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    METRICS_PORT: port.optional(),
  })
  .superRefine((env, context) => {
    if (env.REDIS_URL && !env.DATABASE_URL) {
      context.addIssue({
        code: 'custom',
        path: ['REDIS_URL'],
        message: 'needs DATABASE_URL: the embedded database serves one process only',
      });
    }
    if (env.DATABASE_URL && !env.APP_SECRET) {
      context.addIssue({
        code: 'custom',
        path: ['APP_SECRET'],
        message: 'is required with DATABASE_URL (32 characters or more)',
      });
    }
  });

export type Environment = z.infer<typeof environmentSchema>;
