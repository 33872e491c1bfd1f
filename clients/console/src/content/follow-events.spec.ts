import { ServiceError, UnreachableError } from '../lib/api-client';
import type { AccountApi } from './account-api';
import { followEvents } from './follow-events';

/** Event of a stream as the service writes it. */
const toText = (cursor: string | null, type: string, data: object = {}) =>
  `${cursor ? `id: ${cursor}\n` : ''}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

/** Service with streams that a test writes to and closes. */
class ScriptedService {
  /** Cursor of each request. */
  readonly requests: (string | null)[] = [];
  /** Errors of the next requests. */
  readonly errors: Error[] = [];
  private stream: ReadableStreamDefaultController<Uint8Array> | undefined;

  readonly api = {
    openStream: (_path: string, lastEventId: string | null) => {
      this.requests.push(lastEventId);
      const error = this.errors.shift();
      if (error) return Promise.reject(error);
      const body = new ReadableStream<Uint8Array>({ start: (controller) => (this.stream = controller) });
      return Promise.resolve({ body });
    },
  } as unknown as AccountApi;

  write(text: string): void {
    this.stream!.enqueue(Buffer.from(text));
  }

  close(): void {
    this.stream!.close();
  }
}

describe('following events', () => {
  let service: ScriptedService;
  let log: string[];
  let closing: AbortController;
  let browserWindow: EventTarget;
  const page = Object.assign(new EventTarget(), { hidden: false });

  const flush = () => jest.advanceTimersByTimeAsync(0);
  const setHidden = async (hidden: boolean) => {
    page.hidden = hidden;
    page.dispatchEvent(new Event('visibilitychange'));
    await flush();
  };
  const follow = async (isNeededWhileHidden?: boolean) => {
    const handlers = {
      isNeededWhileHidden,
      onEvent: ({ type }: { type: string }) => log.push(type),
      onReset: () => log.push('(reset)'),
      onStateChange: (state: string) => log.push(`(${state})`),
    };
    followEvents(service.api, '/events', handlers, closing.signal);
    await flush();
  };
  const write = async (text: string) => {
    service.write(text);
    await flush();
  };

  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    browserWindow = new EventTarget();
    Object.assign(globalThis, {
      document: page,
      addEventListener: browserWindow.addEventListener.bind(browserWindow),
      removeEventListener: browserWindow.removeEventListener.bind(browserWindow),
    });
    page.hidden = false;
    service = new ScriptedService();
    log = [];
    closing = new AbortController();
  });
  afterEach(() => {
    closing.abort();
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('resets at the beginning, and resumes after the last event without another reset', async () => {
    await follow();
    await write(toText('c1', 'stream.opened'));
    await write(toText('c2', 'session.ended') + toText(null, 'delta') + 'id: c3\n\n');
    service.close();
    await jest.advanceTimersByTimeAsync(1_000);
    await write(toText('c4', 'stream.opened') + toText('c5', 'turn.ended'));
    expect(service.requests).toEqual([null, 'c3']);
    expect(log).toEqual(['(connecting)', '(live)', '(reset)', 'session.ended', 'delta', '(live)', 'turn.ended']);
  });

  it('waits longer after each failure, up to 30 s, and says that it is offline', async () => {
    for (let i = 0; i < 7; i++) service.errors.push(new UnreachableError());
    await follow();
    const counts = [];
    for (const waitMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      await jest.advanceTimersByTimeAsync(waitMs - 1);
      counts.push(service.requests.length);
      await jest.advanceTimersByTimeAsync(1);
    }
    expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(service.requests).toHaveLength(8);
    expect(log).toEqual(['(connecting)', ...Array<string>(7).fill('(offline)')]);
  });

  it('says that the account has too many streams, and tries again', async () => {
    service.errors.push(new ServiceError(429, { code: 'too_many_streams' }));
    await follow();
    await jest.advanceTimersByTimeAsync(1_000);
    await write(toText('c1', 'stream.opened'));
    expect(log).toEqual(['(connecting)', '(crowded)', '(live)', '(reset)']);
  });

  it('tries again as soon as the computer is online', async () => {
    for (let i = 0; i < 5; i++) service.errors.push(new UnreachableError());
    await follow();
    await jest.advanceTimersByTimeAsync(1_000 + 2_000 + 4_000);
    browserWindow.dispatchEvent(new Event('online'));
    await flush();
    expect(service.requests).toHaveLength(5);
  });

  it('begins anew with a reset if the cursor has expired', async () => {
    await follow();
    await write(toText('c1', 'stream.opened'));
    service.errors.push(new ServiceError(410, {}));
    service.close();
    await jest.advanceTimersByTimeAsync(3_000);
    await write(toText('c9', 'stream.opened'));
    expect(service.requests).toEqual([null, 'c1', null]);
    expect(log.slice(-2)).toEqual(['(live)', '(reset)']);
  });

  it.each([401, 403, 404])('ends after status %i, which a repetition would not change', async (status) => {
    service.errors.push(new ServiceError(status, {}));
    await follow();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(service.requests).toHaveLength(1);
    expect(log).toEqual(['(connecting)', '(ended)']);
  });

  it('opens no connection while the page is hidden, and one when it is shown again', async () => {
    service.errors.push(new UnreachableError());
    await setHidden(true);
    await follow();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(service.requests).toHaveLength(1);
    await setHidden(false);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(service.requests).toHaveLength(2);
  });

  it('goes on while the page is hidden, if it is needed then', async () => {
    service.errors.push(new UnreachableError());
    await setHidden(true);
    await follow(true);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(service.requests).toHaveLength(2);
    await write(toText('c1', 'stream.opened'));
    await jest.advanceTimersByTimeAsync(61_000);
    await write(toText('c2', 'turn.ended'));
    expect(log.at(-1)).toBe('turn.ended');
    expect(service.requests).toHaveLength(2);
  });

  it('stops when the signal is aborted', async () => {
    service.errors.push(new UnreachableError());
    await follow();
    closing.abort();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(service.requests).toHaveLength(1);
  });
});
