import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis, type RedisOptions } from 'ioredis';
import { findFreePort } from './find-free-port';
import { RedisProcess } from './redis-process';
import { waitFor } from './wait-for';

const MASTER_NAME = 'calls';
const SERVER_USER = { username: 'ada', password: 'the-password-of-the-server' };
const SENTINEL_USER = { username: 'bob', password: 'the-password-of-the-sentinel' };
const READY_WITHIN_MS = 20_000;

/**
 * Redis with a replica and one Sentinel, which promotes the replica a second after the master has died. The servers and
 * the Sentinel each have one user.
 */
export class SentinelRedis {
  private constructor(
    private readonly master: RedisProcess,
    private readonly replica: RedisProcess,
    private readonly sentinel: ChildProcess,
    private readonly sentinelPort: number,
    private readonly folder: string,
  ) {}

  /** Resolves when the Sentinel knows the replica, without which it could not fail over. */
  static async start(): Promise<SentinelRedis> {
    const replication = { masteruser: SERVER_USER.username, masterauth: SERVER_USER.password };
    const master = await RedisProcess.start(replication);
    await addUser(master.url);
    const replica = await RedisProcess.start({ ...replication, replicaof: `127.0.0.1 ${master.port}` });
    await addUser(replica.url);
    // The Sentinel looks for replicas when it starts, and then every ten seconds.
    await waitForReply({ port: master.port, ...SERVER_USER }, ['INFO', 'replication'], /state=online/);
    for (const { url } of [master, replica]) await disableDefaultUser(url);
    const folder = mkdtempSync(join(tmpdir(), 'external-api-redis-'));
    const port = await findFreePort();
    const sentinel = launchSentinel(folder, port, master.port);
    const known = new RegExp(`127\\.0\\.0\\.1:${replica.port}`);
    await waitForReply({ port, ...SENTINEL_USER }, ['SENTINEL', 'REPLICAS', MASTER_NAME], known);
    return new SentinelRedis(master, replica, sentinel, port, folder);
  }

  /** Value of `REDIS_URL`. */
  get url(): string {
    const user = `${SERVER_USER.username}:${SERVER_USER.password}`;
    const sentinelUser = `sentinelUsername=${SENTINEL_USER.username}&sentinelPassword=${SENTINEL_USER.password}`;
    return `redis+sentinel://${user}@127.0.0.1:${this.sentinelPort}/${MASTER_NAME}?${sentinelUser}`;
  }

  /** Kills the first master. The Sentinel then promotes the replica. */
  killMaster(): Promise<void> {
    return this.master.killProcess();
  }

  async stop(): Promise<void> {
    if (this.sentinel.exitCode === null && this.sentinel.signalCode === null) {
      const exited = once(this.sentinel, 'exit');
      this.sentinel.kill('SIGKILL');
      await exited;
    }
    await Promise.all([this.master.removeProcess(), this.replica.removeProcess()]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The Sentinel writes its state into its configuration. */
function launchSentinel(folder: string, port: number, master: number): ChildProcess {
  const file = join(folder, 'sentinel.conf');
  const settings = [
    `port ${port}`,
    'bind 127.0.0.1',
    `user ${SENTINEL_USER.username} on >${SENTINEL_USER.password} ~* &* +@all`,
    'user default off',
    `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${master} 1`,
    `sentinel auth-user ${MASTER_NAME} ${SERVER_USER.username}`,
    `sentinel auth-pass ${MASTER_NAME} ${SERVER_USER.password}`,
    `sentinel down-after-milliseconds ${MASTER_NAME} 1000`,
    `sentinel failover-timeout ${MASTER_NAME} 5000`,
  ];
  writeFileSync(file, settings.join('\n'));
  return spawn('redis-server', [file, '--sentinel'], { cwd: folder, stdio: 'ignore' });
}

async function addUser(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.acl('SETUSER', SERVER_USER.username, 'on', `>${SERVER_USER.password}`, '~*', '&*', '+@all');
  redis.disconnect();
}

async function disableDefaultUser(url: string): Promise<void> {
  const redis = new Redis(url, SERVER_USER);
  await redis.acl('SETUSER', 'default', 'off');
  redis.disconnect();
}

async function waitForReply(server: RedisOptions, command: [string, ...string[]], expected: RegExp): Promise<void> {
  const redis = new Redis({ host: '127.0.0.1', ...server });
  redis.on('error', () => undefined);
  try {
    await waitFor(async () => {
      expect(JSON.stringify(await redis.call(...command))).toMatch(expected);
    }, READY_WITHIN_MS);
  } finally {
    redis.disconnect();
  }
}
