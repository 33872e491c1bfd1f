import type { DeltaKind } from '@external-api/protocol';
import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import type { Scope } from '../../access/auth';
import type { EventType } from '../../core/events';
import type { ContentReader } from '../key-grants';
import type { LiveOutputService } from '../relay';
import type { SessionsService } from '../sessions';
import { DeltaFeedService } from './delta-feed.service';
import { LiveEventMetrics } from './live-event-metrics';
import { createCaller, createStream } from './testing/stream-fixture';

const SCOPES: Scope[] = ['sessions:read', 'sessions:content'];
const delta = (n: number) =>
  JSON.stringify({ sessionId: 'ses_1', turnId: 'turn_1', localId: 'm-1', n, content: 'jwe' });
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the feed of deltas', () => {
  let sendDelta: ((text: string) => void) | null;
  let readCount: number;
  let watched: string[];
  let isReading: Promise<void>;
  let watchFailure: Error | null;
  let feed: DeltaFeedService;

  beforeEach(() => {
    [sendDelta, readCount, isReading, watched, watchFailure] = [null, 0, Promise.resolve(), [], null];
    const liveOutput = {
      watchSession: (_account: string, { type }: { type: string }, onDelta: (text: string) => void) => {
        if (watchFailure) return Promise.reject(watchFailure);
        watched.push(type);
        sendDelta = onDelta;
        return Promise.resolve(() => (sendDelta = null));
      },
    } as unknown as LiveOutputService;
    const reader = {
      readContent: async () => {
        readCount += 1;
        await isReading;
        return { encoding: 'plaintext', bytes: Buffer.from('text') };
      },
    } as unknown as ContentReader;
    const sessions = { getContentKey: () => Promise.resolve({ tag: 't', keyId: 'k' }) } as unknown as SessionsService;
    feed = new DeltaFeedService(liveOutput, reader, sessions, new LiveEventMetrics(new Registry()));
  });

  const add = async (change: Parameters<typeof createStream>[0] = {}) => {
    const created = createStream({
      sessionId: 'ses_1',
      contentEncoding: 'plaintext',
      caller: createCaller({ scopes: SCOPES }),
      ...change,
    });
    await feed.addStream(created.stream);
    return created;
  };
  const listNumbers = (text: string) => [...text.matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n));

  it('watches a session while a stream with content and messages is open', async () => {
    await add({ contentEncoding: null });
    await add({ sessionId: null });
    await add({ types: new Set<EventType>(['turn.ended']) });
    expect(sendDelta).toBeNull();
    const [first, second] = [await add(), await add({ types: new Set<EventType>(['message.created']) })];
    first.stream.end(null);
    expect(sendDelta).not.toBeNull();
    second.stream.end(null);
    expect(sendDelta).toBeNull();
  });

  it('sends a delta without an id, read once for all streams of the caller', async () => {
    const [first, second] = [await add(), await add()];
    sendDelta!(delta(0));
    await settle();
    const data = JSON.stringify({ ...(JSON.parse(delta(0)) as object), content: 'text' });
    for (const { response } of [first, second]) expect(response.text).toBe(`event: delta\ndata: ${data}\n\n`);
    expect(readCount).toBe(1);
  });

  it('sends each stream the kinds that it asks for, and watches no more than these', async () => {
    const kinds = (...names: DeltaKind[]) => ({ deltaKinds: names });
    const [ofMessages, ofTools] = [await add(), await add(kinds('tool'))];
    expect(watched).toEqual(['delta', 'progress']);
    const ofAll = await add(kinds('message', 'thought', 'tool', 'plan'));
    expect(watched).toHaveLength(2);
    sendDelta!(JSON.stringify({ ...(JSON.parse(delta(1)) as object), kind: 'tool' }));
    sendDelta!(JSON.stringify({ ...(JSON.parse(delta(2)) as object), kind: 'of_a_later_release' }));
    await settle();
    expect(listNumbers(ofMessages.response.text)).toEqual([]);
    expect(listNumbers(ofTools.response.text)).toEqual([1]);
    expect(listNumbers(ofAll.response.text)).toEqual([1]);
    expect(readCount).toBe(1);
  });

  it('sends nothing to a caller who has lost the scope for content', async () => {
    const { stream, response } = await add();
    stream.updateCaller(createCaller({ scopes: ['sessions:read'] }));
    sendDelta!(delta(0));
    await settle();
    expect(response.text).toBe('');
    expect(readCount).toBe(0);
  });

  it('watches again for the next stream after a watch has failed', async () => {
    const log = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    watchFailure = new Error('database unavailable');
    await add();
    watchFailure = null;
    const { response } = await add();
    sendDelta!(delta(0));
    await settle();
    expect(listNumbers(response.text)).toEqual([0]);
    log.mockRestore();
  });

  it('does not go on to watch for a stream that closes while the watch begins', async () => {
    const { stream } = createStream({
      sessionId: 'ses_1',
      contentEncoding: 'plaintext',
      caller: createCaller({ scopes: SCOPES }),
    });
    const added = feed.addStream(stream);
    stream.end(null);
    await added;
    expect(watched).toEqual(['delta']);
    expect(sendDelta).toBeNull();
  });

  it('keeps deltas in order, and drops those beyond ten that wait', async () => {
    let endRead!: () => void;
    isReading = new Promise((resolve) => (endRead = resolve));
    const { response } = await add();
    for (let n = 0; n < 12; n++) sendDelta!(delta(n));
    endRead();
    await settle();
    expect(listNumbers(response.text)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    sendDelta!(delta(12));
    await settle();
    expect(listNumbers(response.text).at(-1)).toBe(12);
  });

  it('drops deltas of a client that is behind', async () => {
    const { response } = await add();
    response.writableLength = 300_000;
    sendDelta!(delta(0));
    await settle();
    response.writableLength = 0;
    sendDelta!(delta(1));
    await settle();
    expect(listNumbers(response.text)).toEqual([1]);
  });
});
