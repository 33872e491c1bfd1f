import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { generateId } from '../../../src/common/ids';
import { waitFor } from '../../support/wait-for';
import { findFreePort } from '../../support/find-free-port';
import { createMigratedDatabase, describeWithServices, type TestDatabase } from '../../support/postgres';
import { ServiceProcess } from '../../support/service-process';
import { BusHarness } from '../relay-bus/bus-harness';
import { FakeDeviceIdentity } from '../relay-bus/fake-device-identity';
import { createTestRelayCall } from '../relay-bus/test-relay-call';

/** Returns whether a Sentinel knows a replica. */
async function hasReplica(port: number): Promise<boolean> {
  const sentinel = new Redis(port, '127.0.0.1');
  try {
    return ((await sentinel.call('SENTINEL', 'REPLICAS', 'calls')) as unknown[]).length > 0;
  } finally {
    sentinel.disconnect();
  }
}

/** Redis processes in a temporary folder, stopped with the test. */
class RedisPrograms {
  private readonly dir = mkdtempSync(join(tmpdir(), 'external-api-redis-'));
  private readonly running: ChildProcess[] = [];

  start(...args: string[]): ChildProcess {
    const child = spawn('redis-server', args, { cwd: this.dir, stdio: 'ignore' });
    this.running.push(child);
    return child;
  }

  server(port: number, ...more: string[]): ChildProcess {
    return this.start('--port', String(port), '--bind', '127.0.0.1', '--save', '', ...more);
  }

  /** Starts a Sentinel that fails over alone after a second. */
  sentinel(port: number, master: number): ChildProcess {
    const file = join(this.dir, 'sentinel.conf');
    const settings = [
      `port ${port}`,
      'bind 127.0.0.1',
      `sentinel monitor calls 127.0.0.1 ${master} 1`,
      'sentinel down-after-milliseconds calls 1000',
      'sentinel failover-timeout calls 5000',
    ];
    writeFileSync(file, settings.join('\n'));
    return this.start(file, '--sentinel');
  }

  async stop(): Promise<void> {
    for (const child of this.running.filter(({ exitCode, signalCode }) => exitCode === null && !signalCode)) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(this.dir, { recursive: true });
  }
}

describeWithServices('the Redis of several instances', () => {
  let testDatabase: TestDatabase;
  let programs: RedisPrograms;
  beforeAll(async () => {
    testDatabase = await createMigratedDatabase();
  });
  beforeEach(() => {
    programs = new RedisPrograms();
  });
  afterEach(() => programs.stop());
  afterAll(() => testDatabase.dropDatabase());

  it('is rejected with one message if it is a Cluster', async () => {
    const port = await findFreePort();
    programs.server(port, '--cluster-enabled', 'yes');
    const env = { ...testDatabase.env, REDIS_URL: `redis://127.0.0.1:${port}` };
    await waitFor(async () => {
      const { code, stderr } = await ServiceProcess.runUntilExit(env);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr:
          'REDIS_URL points to a Redis Cluster. ' +
          'Use a single Redis, with replicas and Sentinel for high availability.\n',
      });
    }, 20_000);
  });

  it('can fail over with Sentinel, after which calls succeed on the new master', async () => {
    const [master, replica, sentinel] = [await findFreePort(), await findFreePort(), await findFreePort()];
    const first = programs.server(master);
    programs.server(replica, '--replicaof', `127.0.0.1 ${master}`);
    programs.sentinel(sentinel, master);
    const url = `redis+sentinel://127.0.0.1:${sentinel}/calls`;
    const [holder, caller] = await Promise.all([
      BusHarness.startRedis(url, 'holder'),
      BusHarness.startRedis(url, 'caller'),
    ]);
    try {
      const device = new FakeDeviceIdentity(generateId('acc'));
      await holder.connectDevice(device);
      const call = () => caller.bus.sendCall(createTestRelayCall(caller.bus, device.accountId, device.deviceId));
      await waitFor(async () => expect(await call()).toMatchObject({ kind: 'answered' }), 15_000);
      // The Sentinel must know the replica before it can promote it.
      await waitFor(async () => expect(await hasReplica(sentinel)).toBe(true), 20_000);
      first.kill('SIGKILL');
      await waitFor(async () => expect((await call()).kind).not.toBe('answered'));
      await waitFor(async () => expect(await call()).toMatchObject({ kind: 'answered' }), 30_000);
    } finally {
      await Promise.all([holder.stop(), caller.stop()]);
    }
  });
});
