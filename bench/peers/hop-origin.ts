import { once } from 'node:events';
import { Redis } from 'ioredis';

/** The first half of two hops: publishes an order, waits for its answer, and does that again. */
const commands = new Redis(process.env.REDIS!);
const subscriber = new Redis(process.env.REDIS!);
const subscribed = subscriber.subscribe('origin');
const order = JSON.stringify({
  method: 'machine.invoke',
  timeoutMs: 20_000,
  params: { command: 'git', args: ['status', '--short'], cwd: null },
});

/** @returns ms of each */
async function run(count: number): Promise<number[]> {
  await subscribed;
  const took: number[] = [];
  for (let i = 0; i < count; i++) {
    const startedAt = performance.now();
    const answered = once(subscriber, 'message');
    await commands.publish('owner', order);
    await answered;
    took.push(performance.now() - startedAt);
  }
  return took;
}

process.on('message', (message: { run?: number }) => {
  if (message.run) void run(message.run).then((took) => process.send!({ took }));
});
