import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { newId } from '../../../src/common/ids';
import { eventually } from '../../support/eventually';
import { freePort } from '../../support/free-port';
import { createDatabase, describeServices, type Database } from '../../support/postgres';
import { ServiceProcess } from '../../support/service-process';
import { BusRig } from '../relay-bus/bus-rig';
import { FakeIdentity } from '../relay-bus/fake-identity';
import { orderFor } from '../relay-bus/order-for';

/** Whether a Sentinel knows of one. */
async function hasReplica(port: number): Promise<boolean> {
  const sentinel = new Redis(port, '127.0.0.1');
  try {
    return ((await sentinel.call('SENTINEL', 'REPLICAS', 'calls')) as unknown[]).length > 0;
  } finally {
    sentinel.disconnect();
  }
}

/** Programs of Redis in a folder of their own, ended with the test. */
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

  /** One that decides alone, after a second. */
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

describeServices('the Redis of several instances', () => {
  let database: Database;
  let programs: RedisPrograms;
  beforeAll(async () => {
    database = await createDatabase();
  });
  beforeEach(() => {
    programs = new RedisPrograms();
  });
  afterEach(() => programs.stop());
  afterAll(() => database.drop());

  it('is refused when it is a Cluster, with one plain message', async () => {
    const port = await freePort();
    programs.server(port, '--cluster-enabled', 'yes');
    const env = { ...database.env, REDIS_URL: `redis://127.0.0.1:${port}` };
    await eventually(async () => {
      const { code, stderr } = await ServiceProcess.run(env);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr:
          'REDIS_URL names a Redis Cluster. One Redis is needed, with replicas and Sentinel if it is to survive.\n',
      });
    }, 20_000);
  });

  it('may fail over behind a Sentinel: calls pass again on the new master', async () => {
    const [master, replica, sentinel] = [await freePort(), await freePort(), await freePort()];
    const first = programs.server(master);
    programs.server(replica, '--replicaof', `127.0.0.1 ${master}`);
    programs.sentinel(sentinel, master);
    const url = `redis+sentinel://127.0.0.1:${sentinel}/calls`;
    const [holder, caller] = await Promise.all([BusRig.redis(url, 'holder'), BusRig.redis(url, 'caller')]);
    try {
      const device = new FakeIdentity(newId('acc'));
      await holder.connect(device);
      const call = () => caller.bus.call(orderFor(caller.bus, device.accountId, device.deviceId));
      await eventually(async () => expect(await call()).toMatchObject({ kind: 'answered' }), 15_000);
      // The Sentinel has to have heard of the replica before it can turn to it.
      await eventually(async () => expect(await hasReplica(sentinel)).toBe(true), 20_000);
      first.kill('SIGKILL');
      await eventually(async () => expect((await call()).kind).not.toBe('answered'));
      await eventually(async () => expect(await call()).toMatchObject({ kind: 'answered' }), 30_000);
    } finally {
      await Promise.all([holder.stop(), caller.stop()]);
    }
  });
});
