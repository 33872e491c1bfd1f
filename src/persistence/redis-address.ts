import type { RedisOptions } from 'ioredis';

const SENTINEL = /^(rediss?)\+sentinel:\/\/(?:([^:@/]*):([^@/]*)@)?([^@/]+)\/([\w.-]+)(?:\/(\d+))?$/;
const SENTINEL_PORT = 26_379;

/**
 * Where a Redis behind Sentinels is: `redis+sentinel://[user:password@]host[:port],…/master[/database]`, or
 * `rediss+sentinel://` with TLS to both. Null for a URL of another form.
 */
export function sentinelOptions(url: string): RedisOptions | null {
  const parts = SENTINEL.exec(url);
  if (!parts) return null;
  const [, scheme, username, password, hosts, name, database] = parts;
  return {
    sentinels: hosts!.split(',').map(toAddress),
    name: name!,
    db: Number(database ?? 0),
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(scheme === 'rediss' && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  };
}

function toAddress(text: string): { host: string; port: number } {
  const [, host, port] = /^(.+?)(?::(\d+))?$/.exec(text.trim())!;
  return { host: host!, port: Number(port ?? SENTINEL_PORT) };
}
