import { ApiError, ConnectionError } from '../errors.ts';
import { LinkedSignal } from '../http/abort.ts';
import type { Transport } from '../http/transport.ts';
import { readEvents, type EventOptions } from './event-stream.ts';

const OPENED = 'retry: 1\nid: c0\nevent: stream.opened\ndata: {"id":null,"type":"stream.opened","data":{}}\n\n';
const event = (id: string, type: string) => `id: c${id}\nevent: ${type}\ndata: {"id":"${id}","type":"${type}"}\n\n`;

describe('a stream of events', () => {
  /** Texts of the streams, one after the other, or why one isn't opened. undefined: the service can't be reached. */
  let texts: (string | Error | undefined)[];
  let lastEventIds: (string | undefined)[];
  let openedAt: number[];
  const transport = {
    link: (signal: AbortSignal | undefined) => new LinkedSignal([signal]),
    open: (_: string, { headers }: { headers: Record<string, string> }) => {
      lastEventIds.push(headers['last-event-id']);
      openedAt.push(Date.now());
      const text = texts.shift() ?? new ConnectionError('refused', undefined);
      if (text instanceof Error) return Promise.reject(text);
      return Promise.resolve({ response: new Response(text), link: new LinkedSignal([]) });
    },
  } as unknown as Transport;

  async function readAll(options: EventOptions = {}): Promise<string[]> {
    const types: string[] = [];
    for await (const { type } of readEvents(transport, options)) types.push(type);
    return types;
  }

  beforeEach(() => {
    lastEventIds = [];
    openedAt = [];
    jest.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('is opened again after its last event, and ends with its session', async () => {
    texts = [OPENED + event('1', 'turn.started'), OPENED + event('2', 'turn.ended') + event('3', 'session.deleted')];
    const types = ['stream.opened', 'turn.started', 'turn.ended', 'session.deleted'];
    expect(await readAll({ sessionId: 'ses_1', after: 'c9' })).toEqual(types);
    expect(lastEventIds).toEqual(['c9', 'c1']);
  });

  it('of the account goes on when a session is deleted', async () => {
    const stopping = new AbortController();
    texts = [OPENED + event('1', 'session.deleted'), OPENED + event('2', 'session.created')];
    const onDisconnect = () => texts.length === 0 && stopping.abort();
    await expect(readAll({ signal: stopping.signal, onDisconnect })).rejects.toThrow('aborted');
    expect(lastEventIds).toEqual([undefined, 'c1']);
  });

  it('is opened three times at most before its first event, and any number of times after that', async () => {
    texts = [];
    await expect(readAll()).rejects.toThrow('refused');
    expect(lastEventIds).toHaveLength(3);
    texts = [OPENED, undefined, undefined, undefined, undefined, event('1', 'session.deleted')];
    expect(await readAll({ sessionId: 'ses_1' })).toEqual(['stream.opened', 'session.deleted']);
  });

  it('is opened again after a request that did not arrive in time', async () => {
    const late = new ApiError({ status: 408, code: 'request_timeout', message: 'x' });
    texts = [OPENED, late, event('1', 'session.deleted')];
    expect(await readAll({ sessionId: 'ses_1' })).toEqual(['stream.opened', 'session.deleted']);
  });

  /** Returns the milliseconds at which the streams are opened. */
  async function readOpenings(): Promise<number[]> {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const start = Date.now();
    let isRead = false;
    const reading = readAll({ sessionId: 'ses_1' }).then(() => (isRead = true));
    while (!isRead) await jest.advanceTimersByTimeAsync(1);
    await reading;
    return openedAt.map((time) => time - start);
  }

  it('waits twice as long after each failure, and as briefly as at first once an event has arrived', async () => {
    jest.mocked(Math.random).mockReturnValue(1);
    texts = [OPENED, undefined, undefined, undefined, OPENED, undefined, undefined, event('1', 'session.deleted')];
    // The service sets the first delay to 1 ms, which also follows the end of a stream that was open.
    expect(await readOpenings()).toEqual([0, 1, 2, 4, 8, 9, 10, 12]);
  });

  it('waits as long as the service demands that refuses it for a time', async () => {
    const refusal = new ApiError({ status: 503, code: 'service_unavailable', message: 'x', retryAfterSeconds: 2 });
    texts = [OPENED, refusal, event('1', 'session.deleted')];
    expect(await readOpenings()).toEqual([0, 0, 2_000]);
  });
});
