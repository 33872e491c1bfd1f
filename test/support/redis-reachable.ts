import { spawnSync } from 'node:child_process';
import { REDIS_URL } from './backend';

/** Jest asks what to run before anything asynchronous can answer, so another process tries the connection. */
function isReachable(): boolean {
  const { hostname, port } = new URL(REDIS_URL);
  const attempt = `require('node:net').connect(${port || 6379}, '${hostname}')
    .on('connect', () => process.exit(0)).on('error', () => process.exit(1))`;
  return spawnSync(process.execPath, ['-e', attempt], { env: {}, timeout: 5_000 }).status === 0;
}

/** `describe` where Redis answers; elsewhere it is left out with a line that says so, or fails if it must not be. */
export function describeWithRedis(name: string, suite: () => void): void {
  const required = process.env.REQUIRE_SERVICES === '1';
  if (required || isReachable()) {
    describe(name, suite);
    return;
  }
  process.stderr.write(`Left out: ${name}. There is no Redis at ${REDIS_URL}.\n`);
  describe.skip(name, suite);
}
