import type { RedisOptions } from 'ioredis';

const CREDENTIALS = String.raw`(?:([^:@/]*):([^@/]*)@)?`;
const SENTINEL_URL = new RegExp(
  String.raw`^(rediss?)\+sentinel://${CREDENTIALS}([^@/]+)/([\w.-]+)(?:/(\d+))?(?:\?([^#]*))?$`,
);
const CLUSTER_URL = new RegExp(String.raw`^(rediss?)\+cluster://${CREDENTIALS}([^@/?#]+)/?$`);
const REDIS_PORT = 6_379;
const SENTINEL_PORT = 26_379;
const SENTINEL_PARAMETERS = ['sentinelUsername', 'sentinelPassword'] as const;

export interface ServerAddress {
  host: string;
  port: number;
}

/** Some nodes of a Redis Cluster, by which the others are found, and how to connect to each. */
export interface ClusterAddress {
  nodes: ServerAddress[];
  options: RedisOptions;
}

/**
 * Parses `redis+sentinel://[user:password@]host[:port],…/master[/database][?sentinelUsername=…&sentinelPassword=…]`, or
 * `rediss+sentinel://` for TLS to both Redis and its Sentinels. The credentials in front of the hosts are those of
 * Redis, the parameters those of the Sentinels. Returns null for other URLs.
 */
export function parseSentinelUrl(url: string): RedisOptions | null {
  const parts = SENTINEL_URL.exec(url);
  if (!parts) return null;
  const [, scheme, username, password, hosts, name, database, query = ''] = parts;
  const parameters = parseSentinelParameters(query);
  return (
    parameters && {
      sentinels: parseAddresses(hosts!, SENTINEL_PORT),
      name: name!,
      db: Number(database ?? 0),
      ...parseCredentials(username, password),
      ...parameters,
      ...(scheme === 'rediss' && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
    }
  );
}

/**
 * Parses `redis+cluster://[user:password@]host[:port],…`, or `rediss+cluster://` for TLS. Any nodes of the cluster are
 * enough. Returns null for other URLs.
 */
export function parseClusterUrl(url: string): ClusterAddress | null {
  const parts = CLUSTER_URL.exec(url);
  if (!parts) return null;
  const [, scheme, username, password, hosts] = parts;
  return {
    nodes: parseAddresses(hosts!, REDIS_PORT),
    options: { ...parseCredentials(username, password), ...(scheme === 'rediss' && { tls: {} }) },
  };
}

/** Returns null if the query has other parameters: a misspelled one must not connect without a password. */
function parseSentinelParameters(query: string): Pick<RedisOptions, (typeof SENTINEL_PARAMETERS)[number]> | null {
  // In a form, `+` would be a space. Here it stands for itself, as in the credentials of Redis.
  const parameters = Object.fromEntries(new URLSearchParams(query.replaceAll('+', '%2B')));
  const isKnown = (name: string) => SENTINEL_PARAMETERS.some((known) => known === name);
  return Object.keys(parameters).every(isKnown) ? parameters : null;
}

function parseCredentials(username = '', password = ''): Pick<RedisOptions, 'username' | 'password'> {
  return {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
  };
}

function parseAddresses(hosts: string, defaultPort: number): ServerAddress[] {
  return hosts.split(',').map((text) => {
    const [, host, port] = /^(.+?)(?::(\d+))?$/.exec(text.trim())!;
    // Without the brackets of an IPv6 address, with which it would be looked up as a name.
    return { host: host!.replace(/^\[|\]$/g, ''), port: Number(port ?? defaultPort) };
  });
}
