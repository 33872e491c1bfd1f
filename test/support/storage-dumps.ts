import { Redis } from 'ioredis';
import { Client } from 'pg';

/** Returns all rows of all tables as text, with binary columns in hex. */
export async function dumpDatabase(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public'`,
    );
    const texts: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`);
      texts.push(name, ...rows.map(({ text }) => text));
    }
    return texts.join('\n');
  } finally {
    await client.end();
  }
}

/** Returns all keys and values of a Redis database as text and in hex. A Redis dump would be compressed. */
export async function dumpRedis(url: string): Promise<string> {
  const redis = new Redis(url);
  const readers: Record<string, (key: string) => Promise<unknown>> = {
    string: (key) => redis.getBuffer(key).then((value) => value?.toString('latin1')),
    hash: (key) => redis.hgetall(key),
    set: (key) => redis.smembers(key),
    zset: (key) => redis.zrange(key, '0', '-1', 'WITHSCORES'),
    list: (key) => redis.lrange(key, 0, -1),
    stream: (key) => redis.xrange(key, '-', '+'),
  };
  try {
    const lines: string[] = [];
    for (const key of await redis.keys('*')) {
      const value = JSON.stringify(await readers[await redis.type(key)]?.(key)) ?? '';
      lines.push(key, value, Buffer.from(value).toString('hex'));
    }
    return lines.join('\n');
  } finally {
    redis.disconnect();
  }
}

/** Returns the representations of bytes in a text: plain, hex, and base64 at each of its three offsets. */
export function listEncodings(secret: Uint8Array | string): string[] {
  const bytes = Buffer.from(secret);
  const inner = [0, 1, 2].flatMap((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]);
    // Omits the characters that also encode bits of adjacent bytes.
    const from = Math.ceil((offset * 8) / 6);
    const to = Math.floor((shifted.length * 8) / 6);
    return [shifted.toString('base64').slice(from, to), shifted.toString('base64url').slice(from, to)];
  });
  const plain = typeof secret === 'string' ? [secret] : [];
  return [...new Set([...plain, bytes.toString('hex'), bytes.toString('hex').toUpperCase(), ...inner])];
}
