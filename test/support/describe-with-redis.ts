import { spawnSync } from 'node:child_process';
import { REDIS_URL } from './backend';

/** Checks the connection in another process, because Jest collects suites synchronously. */
function isRedisReachable(): boolean {
  const { hostname, port } = new URL(REDIS_URL);
  const attempt = `require('node:net').connect(${port || 6379}, '${hostname}')
    .on('connect', () => process.exit(0)).on('error', () => process.exit(1))`;
  return spawnSync(process.execPath, ['-e', attempt], { env: {}, timeout: 5_000 }).status === 0;
}

/** `describe` if Redis is reachable. Otherwise skips the suite with a log line, or fails if services are required. */
export function describeWithRedis(name: string, suite: () => void): void {
  const required = process.env.REQUIRE_SERVICES === '1';
  if (required || isRedisReachable()) {
    describe(name, suite);
    return;
  }
  process.stderr.write(`Skipped: ${name}. No Redis at ${REDIS_URL}.\n`);
  describe.skip(name, suite);
}
