import { Injectable, Logger } from '@nestjs/common';
import { buildDeltaBinding, type DeltaMessage } from '@external-api/protocol';
import { ApiError } from '../../common/errors';
import { ContentReader } from '../key-grants';
import { LiveOutputService } from '../relay';
import { SessionsService } from '../sessions';
import type { ContentEncoding } from './event-content.service';
import type { EventStream } from './event-stream';
import { LiveEventMetrics } from './live-event-metrics';

/** Deltas of a stream that wait for the check of its grant. Five per second arrive. */
const MAX_WAITING_DELTAS = 10;

/** Tag of a session, and id of its data key. */
type ContentKey = Awaited<ReturnType<SessionsService['getContentKey']>>;

/** Text of messages, or what else agents do. Devices are asked for the latter only if a stream wants it. */
type DeltaTopic = 'delta' | 'progress';

/** Streams of the same recipient that get the deltas of a session in the same encoding. */
interface DeltaReader {
  streams: Set<EventStream>;
  sessionId: string;
  topic: DeltaTopic;
  encoding: ContentEncoding;
  waitingDeltas: number;
  /** Resolves when all earlier deltas were handled, so that they stay in order. */
  lastDelta: Promise<void>;
  /** Set while the session is watched. */
  stopWatching?: () => void;
}

/**
 * Sends the deltas of a session to its streams with content (docs/protocol/event-streams.md#live-output). A delta is
 * read once for all streams of the same recipient.
 */
@Injectable()
export class DeltaFeedService {
  private readonly logger = new Logger('DeltaFeed');
  private readonly readers = new Map<string, DeltaReader>();

  constructor(
    private readonly liveOutputService: LiveOutputService,
    private readonly contentReader: ContentReader,
    private readonly sessions: SessionsService,
    private readonly metrics: LiveEventMetrics,
  ) {}

  /** Watches the session until the stream closes, if the stream sends content and messages. */
  async addStream(stream: EventStream): Promise<void> {
    const { types, deltaKinds } = stream;
    if (!(types?.has('message.created') ?? true)) return;
    if (deltaKinds.includes('message')) await this.addToReader(stream, 'delta');
    if (deltaKinds.some((kind) => kind !== 'message')) await this.addToReader(stream, 'progress');
  }

  private async addToReader(stream: EventStream, topic: DeltaTopic): Promise<void> {
    const { sessionId, contentEncoding: encoding, recipient } = stream;
    if (stream.isClosed || sessionId === null || encoding === null) return;
    const key = JSON.stringify([sessionId, topic, encoding, recipient.tokenId, recipient.appId]);
    const known = this.readers.get(key);
    const reader = known ?? createReader(sessionId, topic, encoding);
    reader.streams.add(stream);
    stream.onClose(() => this.removeStream(key, reader, stream));
    if (known) return;
    this.readers.set(key, reader);
    await this.watchSession(reader, stream.accountId).catch((error: Error) => {
      // Deltas only precede the messages, which the streams send in any case.
      this.readers.delete(key);
      this.logger.warn({ reason: error.message }, 'session watch failed');
    });
  }

  private async watchSession(reader: DeltaReader, accountId: string): Promise<void> {
    const { sessionId, topic: type } = reader;
    const contentKey = await this.sessions.getContentKey(accountId, sessionId);
    const onDelta = (delta: string) => this.queueDelta(reader, contentKey, delta);
    reader.stopWatching = await this.liveOutputService.watchSession(accountId, { sessionId, type }, onDelta);
    if (reader.streams.size === 0) reader.stopWatching();
  }

  private removeStream(key: string, reader: DeltaReader, stream: EventStream): void {
    reader.streams.delete(stream);
    if (reader.streams.size > 0) return;
    if (this.readers.get(key) === reader) this.readers.delete(key);
    reader.stopWatching?.();
  }

  private queueDelta(reader: DeltaReader, contentKey: ContentKey, text: string): void {
    if (reader.waitingDeltas >= MAX_WAITING_DELTAS) return this.countDropped(reader.streams.size);
    reader.waitingDeltas += 1;
    reader.lastDelta = reader.lastDelta
      .then(() => this.sendDelta(reader, contentKey, JSON.parse(text) as DeltaMessage))
      .catch((error: Error) => this.logger.debug({ reason: error.message }, 'delta failed'))
      .finally(() => (reader.waitingDeltas -= 1));
  }

  private async sendDelta({ streams: all, encoding }: DeltaReader, contentKey: ContentKey, delta: DeltaMessage) {
    const { kind = 'message' } = delta;
    const streams = [...all].filter(({ deltaKinds }) => deltaKinds.includes(kind));
    const [first] = streams.filter(({ canWriteLiveEvent }) => canWriteLiveEvent);
    const content = first ? await this.readContent(first, encoding, contentKey, delta) : null;
    if (first && content === null) return;
    const data = JSON.stringify({ ...delta, content });
    for (const stream of streams) {
      if (content === null || !stream.writeLiveEvent('delta', data)) this.countDropped(1);
    }
  }

  /** Returns the text or the ciphertext, or null without a grant or for content that doesn't decrypt. */
  private async readContent(
    { caller, recipient, accountId }: EventStream,
    encoding: ContentEncoding,
    { tag, keyId }: ContentKey,
    { sessionId, localId, kind, n, content }: DeltaMessage,
  ): Promise<string | null> {
    if (!recipient.scopes.includes('sessions:content')) return null;
    const place = buildDeltaBinding(accountId, tag, localId, n, kind);
    const loadCiphertext = () => Promise.resolve({ content, keyId, place });
    try {
      const request = { sessionId, artifactId: null, encoding, loadCiphertext };
      const result = await this.contentReader.readContent(caller, request);
      return result.encoding === 'sealed' ? result.content : result.bytes.toString();
    } catch (error) {
      if (error instanceof ApiError) return null;
      throw error;
    }
  }

  private countDropped(count: number): void {
    this.metrics.droppedEvents.inc({ type: 'delta' }, count);
  }
}

function createReader(sessionId: string, topic: DeltaTopic, encoding: ContentEncoding): DeltaReader {
  return { streams: new Set(), sessionId, topic, encoding, waitingDeltas: 0, lastDelta: Promise.resolve() };
}
