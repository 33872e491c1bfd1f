import { TokenVerifierRegistry, type Principal } from '../../access/auth';
import { Clock, MINUTE, SECOND } from '../../common/clock';
import { ShutdownState } from '../../common/shutdown-state';
import type { EventCursorService } from './event-cursor.service';
import type { EventStream } from './event-stream';
import type { EventStreamRegistry } from './event-stream-registry';
import { EventStreamSupervisor } from './event-stream-supervisor';
import { createCaller, createStream, type FakeResponse } from './testing/stream-fixture';

/** Jest's timers don't replace those of this module. */
jest.mock('node:timers/promises', () => ({
  setTimeout: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
}));

type Opened = { stream: EventStream; response: FakeResponse };

describe('the supervisor of event streams', () => {
  let opened: Opened[];
  let callers: Map<string, Principal>;
  let shutdownState: ShutdownState;
  let supervisor: EventStreamSupervisor;
  /** Set while the database doesn't answer. */
  let outage: Promise<void> | null;

  beforeEach(() => {
    jest.useFakeTimers();
    opened = [];
    outage = null;
    callers = new Map([['svc_pat_1', createCaller()]]);
    const registry = {
      listStreams: () => opened.filter(({ stream }) => !stream.isClosed).map(({ stream }) => stream),
    } as unknown as EventStreamRegistry;
    const cursors = {
      encodePlace: (place: unknown, generation: string) => `${JSON.stringify(place).length} ${generation}`,
    } as unknown as EventCursorService;
    const verifiers = {
      verifyTokens: async (tokens: Set<string>) => {
        await outage;
        return new Map(
          [...tokens].map((token) => {
            const principal = callers.get(token);
            return [token, principal ? { ok: true, principal } : { ok: false, reason: 'revoked' }];
          }),
        );
      },
    } as unknown as TokenVerifierRegistry;
    shutdownState = new ShutdownState();
    supervisor = new EventStreamSupervisor(registry, cursors, verifiers, shutdownState, new Clock());
    supervisor.onApplicationBootstrap();
  });
  afterEach(async () => {
    jest.useRealTimers();
    await supervisor.onApplicationShutdown();
  });

  const open = (change: Parameters<typeof createStream>[0] = {}): Opened => {
    const created = createStream(change);
    opened.push(created);
    return created;
  };
  const countComments = ({ response }: Opened) => response.text.split(':\n\n').length - 1;
  const placeLines = ({ stream }: Opened) => `retry: 1000\nid: ${JSON.stringify(stream.place).length} g1\n\n`;

  it('sends a comment every 15 s, and none before', async () => {
    const stream = open();
    await jest.advanceTimersByTimeAsync(14_900);
    expect(countComments(stream)).toBe(0);
    await jest.advanceTimersByTimeAsync(600);
    expect(countComments(stream)).toBe(1);
    await jest.advanceTimersByTimeAsync(MINUTE);
    expect(countComments(stream)).toBe(5);
  });

  it('ends a stream after 15 minutes with its present cursor, and not before', async () => {
    const stream = open();
    await jest.advanceTimersByTimeAsync(15 * MINUTE - 600);
    expect(stream.response.writableEnded).toBe(false);
    await jest.advanceTimersByTimeAsync(1_200);
    expect(stream.response.writableEnded).toBe(true);
    expect(stream.response.text.endsWith(placeLines(stream))).toBe(true);
  });

  it.each<[string, (token: string) => void]>([
    ['was revoked or has expired', (token) => callers.delete(token)],
    [
      'belongs to a suspended account',
      (token) => callers.set(token, createCaller({ account: { ...createCaller().account, isSuspended: true } })),
    ],
    ['has lost the scope of its session', (token) => callers.set(token, createCaller({ scopes: ['machines:read'] }))],
  ])('ends a stream within a second when its token %s, and sends nothing more', async (_, take) => {
    callers.set('svc_pat_2', createCaller());
    const ended = open({ token: 'svc_pat_2', sessionId: 'ses_1' });
    const other = open();
    await jest.advanceTimersByTimeAsync(750);
    expect(ended.response.writableEnded).toBe(false);
    take('svc_pat_2');
    await jest.advanceTimersByTimeAsync(SECOND);
    expect(ended.response).toMatchObject({ writableEnded: true, text: '' });
    expect(other.response.writableEnded).toBe(false);
  });

  it('keeps a stream of the account open, whatever scopes its token has', async () => {
    callers.set('svc_pat_2', createCaller({ scopes: ['machines:read'] }));
    const { response } = open({ token: 'svc_pat_2' });
    await jest.advanceTimersByTimeAsync(3 * SECOND);
    expect(response.writableEnded).toBe(false);
  });

  it('disconnects a revoked client at once that has not read all', async () => {
    const stream = open();
    stream.response.isReading = false;
    stream.stream.write('unread');
    callers.clear();
    await jest.advanceTimersByTimeAsync(SECOND);
    expect(stream.response).toMatchObject({ destroyed: true, writableEnded: false });
  });

  it('takes over the scopes that a token has now', async () => {
    const { stream } = open();
    callers.set('svc_pat_1', createCaller({ scopes: ['sessions:read'] }));
    await jest.advanceTimersByTimeAsync(SECOND);
    expect(stream.recipient.scopes).toEqual(['sessions:read']);
    expect(stream.isClosed).toBe(false);
  });

  it('sends comments while the database does not answer', async () => {
    let endOutage!: () => void;
    outage = new Promise((resolve) => (endOutage = resolve));
    const stream = open();
    await jest.advanceTimersByTimeAsync(31 * SECOND);
    expect(countComments(stream)).toBe(2);
    endOutage();
  });

  it('ends the streams of a draining instance evenly, from 3 s to 12 s later', async () => {
    const streams = Array.from({ length: 90 }, () => open());
    const countEnded = () => streams.filter(({ response }) => response.writableEnded).length;
    void shutdownState.runHandOvers();
    await jest.advanceTimersByTimeAsync(2_950);
    expect(countEnded()).toBe(0);
    await jest.advanceTimersByTimeAsync(100);
    for (let second = 1; second < 9; second++) {
      await jest.advanceTimersByTimeAsync(SECOND);
      expect(countEnded()).toBeGreaterThanOrEqual(second * 10);
      expect(countEnded()).toBeLessThanOrEqual(second * 10 + 2);
    }
    await jest.advanceTimersByTimeAsync(SECOND);
    expect(countEnded()).toBe(90);
    for (const stream of streams) expect(stream.response.text).toBe(placeLines(stream));
  });

  it('ends all streams at once when the instance closes without having drained', () => {
    const streams = [open(), open()];
    shutdownState.startClosing();
    for (const stream of streams) expect(stream.response.text).toBe(placeLines(stream));
  });
});
