import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Redis, type Result } from 'ioredis';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    bareHit(key: string, windowMs: number): Result<[hits: number, remainingMs: number], Context>;
  }
}

/** Responds with the headers and the body that it was given, after one hit on a rate limit bucket in Redis. */
const headers = JSON.parse(process.env.HEADERS!) as Record<string, string>;
const body = Buffer.from(process.env.BODY!);
const redis = new Redis(process.env.REDIS_URL!, { enableAutoPipelining: true });
redis.defineCommand('bareHit', {
  numberOfKeys: 1,
  lua: `
local hits = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], left)
end
return {hits, left}`,
});

const server = createServer((_request, response) => {
  redis.bareHit('bare', 60_000).then(
    ([hits]) => response.writeHead(200, { ...headers, 'X-RateLimit-Remaining': 1_000_000 - hits }).end(body),
    () => response.writeHead(500).end(),
  );
});
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
