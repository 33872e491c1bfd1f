import { once } from 'node:events';
import { Redis } from 'ioredis';

/** First half of two hops: publishes requests one by one and waits for each answer. */
const commands = new Redis(process.env.REDIS!);
const subscriber = new Redis(process.env.REDIS!);
const subscribed = subscriber.subscribe('origin');
const relayMessage = JSON.stringify({
  method: 'machine.invoke',
  timeoutMs: 20_000,
  params: { command: 'git', args: ['status', '--short'], cwd: null },
});

/** Returns the duration of each hop pair in ms. */
async function measureHops(count: number): Promise<number[]> {
  await subscribed;
  const durations: number[] = [];
  for (let i = 0; i < count; i++) {
    const startedAt = performance.now();
    const received = once(subscriber, 'message');
    await commands.publish('owner', relayMessage);
    await received;
    durations.push(performance.now() - startedAt);
  }
  return durations;
}

process.on('message', (message: { run?: number }) => {
  if (message.run) void measureHops(message.run).then((took) => process.send!({ took }));
});
