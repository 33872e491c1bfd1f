import { Redis } from 'ioredis';
import { presenceKey } from '../../../src/relay/bus/redis/keys';
import { defineScripts } from '../../../src/relay/bus/redis/scripts';
import type { Lab } from '../lab';

const CONNECTIONS = 20;
const IN_FLIGHT = 20;
/** Of each lane: a device comes, its account is told of a change, it goes. */
const ROUNDS = 40;

/** What a command costs a Redis that is never done: a calm one spends most of it on waking up. */
export async function measureBusyRedis({ figures, backend, redis }: Lab): Promise<void> {
  const connections = Array.from({ length: CONNECTIONS }, () => new Redis(backend.redis.url));
  connections.forEach(defineScripts);
  const work = () =>
    Promise.all(
      connections.flatMap((connection, i) =>
        Array.from({ length: IN_FLIGHT }, (_, lane) => comeAndGo(connection, `busy-${i}-${lane}`)),
      ),
    );
  await work();
  const before = await redis.read();
  await work();
  const after = await redis.read();
  for (const connection of connections) connection.disconnect();
  figures.add(
    'redis.cpuUsPerCommandBusy',
    (after.cpuUs - before.cpuUs) / (CONNECTIONS * IN_FLIGHT * ROUNDS * 3),
    'µs',
    `used_cpu_user + used_cpu_sys per relayAssert, relayHint and relayWithdraw, ${CONNECTIONS} connections with ${IN_FLIGHT} commands in flight each`,
  );
}

async function comeAndGo(redis: Redis, account: string): Promise<void> {
  const key = presenceKey(account);
  const entry = { instance: 'busy', kind: 'machine', machineId: account, capabilities: ['machine.invoke'] };
  for (let epoch = 1; epoch <= ROUNDS; epoch++) {
    await redis.relayAssert(key, account, epoch, JSON.stringify({ ...entry, epoch }), 'busy', '{}');
    await redis.relayHint(key, 'another', '{}');
    await redis.relayWithdraw(key, account, epoch, 'busy');
  }
}
