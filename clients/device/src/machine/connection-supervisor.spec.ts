import { DeviceReplacedError } from '../client-errors';
import { Backoff } from './backoff';
import type { Connection } from './connection';
import { ConnectionSupervisor } from './connection-supervisor';

const BASE_MS = 4;

/** Opens connections that a test closes, as a proxy does. */
class ScriptedConnections {
  readonly opened: { connection: Connection; close: (reason: string) => void }[] = [];

  readonly open = (): Promise<Connection> => {
    let close: (reason: string) => void = () => undefined;
    const closed = new Promise<string>((resolve) => (close = resolve));
    const connection = {
      closed,
      isConnected: true,
      closeWhenIdle: () => Promise.resolve(),
      close: () => close('closed'),
    };
    this.opened.push({ connection: connection as unknown as Connection, close });
    return Promise.resolve(connection as unknown as Connection);
  };
}

it.each([
  ['after 60 s connects again at once each time', 60_000, BASE_MS],
  ['at once waits longer each time', 0, BASE_MS * 2 ** 8],
])('a machine whose proxy cuts WebSockets %s', async (_, lifetimeMs, longestMs) => {
  jest.useFakeTimers({
    doNotFake: ['Date', 'performance', 'setImmediate', 'setInterval', 'nextTick', 'queueMicrotask'],
  });
  const elapse = (ms: number) => jest.advanceTimersByTime(ms);
  const delays: number[] = [];
  const backoff = new Backoff({ baseMs: BASE_MS, maxMs: longestMs });
  const getNextDelayMs = backoff.getNextDelayMs.bind(backoff);
  backoff.getNextDelayMs = () => {
    delays.push(getNextDelayMs());
    // Only the length is of interest.
    return 0;
  };
  const connections = new ScriptedConnections();
  const lost: string[] = [];
  const events = { lost: (reason: string) => lost.push(reason) };
  const supervisor = new ConnectionSupervisor({ openConnection: connections.open, backoff, events });
  try {
    await supervisor.openFirstConnection();
    for (let count = 1; count <= 10; count++) {
      elapse(lifetimeMs);
      connections.opened.at(-1)!.close('transport close');
      const isOpen = () => connections.opened.length > count;
      for (let turns = 0; !isOpen() && turns < 1_000; turns++) await new Promise((resolve) => setImmediate(resolve));
      expect(isOpen()).toBe(true);
    }
  } finally {
    jest.useRealTimers();
  }
  expect(lost).toEqual(Array(10).fill('transport close'));
  expect(delays).toHaveLength(10);
  const longest = Math.max(...delays);
  expect(longest).toBeLessThanOrEqual(longestMs);
  expect(longest).toBeGreaterThan(longestMs / 2);
  connections.opened.at(-1)!.close('stopped');
  await supervisor.closeConnections();
});

it.each([
  ['stops if that happens again within 10 minutes', 10 * 60_000 - 1, true],
  ['connects once more if the last time was 10 minutes ago', 10 * 60_000, false],
])('a device that another connection replaces %s', async (_, elapsedMs, stops) => {
  const now = jest.spyOn(performance, 'now').mockReturnValue(0);
  const connections = new ScriptedConnections();
  const backoff = new Backoff({ baseMs: 1, maxMs: 1 });
  const supervisor = new ConnectionSupervisor({ openConnection: connections.open, backoff, events: {} });
  const failures: unknown[] = [];
  supervisor.failed.catch((error: unknown) => failures.push(error));
  const replaceConnection = async () => {
    const { length } = connections.opened;
    const { connection, close } = connections.opened.at(-1)!;
    Object.assign(connection, { isReplaced: true });
    close('transport close');
    while (connections.opened.length === length && failures.length === 0)
      await new Promise((resolve) => setTimeout(resolve, 1));
  };
  await supervisor.openFirstConnection();
  await replaceConnection();
  expect(failures).toEqual([]);
  now.mockReturnValue(elapsedMs);
  await replaceConnection();
  now.mockRestore();
  expect(failures).toEqual(stops ? [expect.any(DeviceReplacedError)] : []);
  connections.opened.at(-1)!.close('stopped');
  await supervisor.closeConnections();
});

it('stops at once while a connection is being opened, and closes it if it opens afterwards', async () => {
  const connections = new ScriptedConnections();
  let openConnection = connections.open;
  const backoff = new Backoff({ baseMs: 1, maxMs: 1 });
  const supervisor = new ConnectionSupervisor({ openConnection: () => openConnection(), backoff, events: {} });
  const first = await supervisor.openFirstConnection();
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  openConnection = () => answered.then(connections.open);
  void supervisor.replaceConnection();
  await supervisor.closeConnections();
  expect(await first.closed).toBe('closed');
  answer();
  while (connections.opened.length < 2) await new Promise((resolve) => setImmediate(resolve));
  expect(await connections.opened[1]!.connection.closed).toBe('closed');
});
