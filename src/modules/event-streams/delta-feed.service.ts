import { Injectable, Logger } from '@nestjs/common';
import { ApiError } from '../../common/errors';
import { buildDeltaBinding, type DeltaMessage } from '../../protocol';
import { ContentReader } from '../key-grants';
import { LiveOutputService } from '../relay';
import { SessionsService } from '../sessions';
import type { ContentEncoding } from './event-content.service';
import type { EventStream } from './event-stream';
import { LiveEventMetrics } from './live-event-metrics';

/** Deltas of a stream that wait for the check of its grant. Five per second arrive. */
const MAX_WAITING_DELTAS = 10;

/** Stream that gets the deltas of its session. */
interface DeltaReader {
  stream: EventStream;
  sessionId: string;
  encoding: ContentEncoding;
  /** Tag of the session, and id of its data key. */
  tag: string;
  keyId: string;
  waitingDeltas: number;
  /** Resolves when all earlier deltas were handled, so that they stay in order. */
  lastDelta: Promise<void>;
}

/** Sends the deltas of a session to its streams with content (docs/protocol/event-streams.md#live-output). */
@Injectable()
export class DeltaFeedService {
  private readonly logger = new Logger('DeltaFeed');

  constructor(
    private readonly liveOutputService: LiveOutputService,
    private readonly contentReader: ContentReader,
    private readonly sessions: SessionsService,
    private readonly metrics: LiveEventMetrics,
  ) {}

  /** Watches the session until the stream closes, if the stream sends content and messages. */
  async addStream(stream: EventStream): Promise<void> {
    const { accountId, sessionId, types, contentEncoding: encoding } = stream;
    if (sessionId === null || encoding === null || !(types?.has('message.created') ?? true)) return;
    try {
      const { tag, keyId } = await this.sessions.getContentKey(accountId, sessionId);
      const lastDelta = Promise.resolve();
      const reader: DeltaReader = { stream, sessionId, encoding, tag, keyId, waitingDeltas: 0, lastDelta };
      const stopWatching = await this.liveOutputService.watchSession(accountId, sessionId, (delta) =>
        this.queueDelta(reader, delta),
      );
      stream.onClose(stopWatching);
      if (stream.isClosed) stopWatching();
    } catch (error) {
      // Deltas only precede the messages, which the stream sends in any case.
      this.logger.warn({ reason: (error as Error).message }, 'session watch failed');
    }
  }

  private queueDelta(reader: DeltaReader, delta: string): void {
    if (reader.waitingDeltas >= MAX_WAITING_DELTAS) return this.metrics.droppedEvents.inc({ type: 'delta' });
    reader.waitingDeltas += 1;
    reader.lastDelta = reader.lastDelta
      .then(() => this.sendDelta(reader, delta))
      .catch((error: Error) => this.logger.debug({ reason: error.message }, 'delta failed'))
      .finally(() => (reader.waitingDeltas -= 1));
  }

  private async sendDelta(reader: DeltaReader, text: string): Promise<void> {
    const delta = JSON.parse(text) as DeltaMessage;
    const content = await this.readContent(reader, delta);
    if (content === null) return;
    const isWritten = reader.stream.writeLiveEvent('delta', JSON.stringify({ ...delta, content }));
    if (!isWritten) this.metrics.droppedEvents.inc({ type: 'delta' });
  }

  /** Returns the text or the ciphertext, or null without a grant or for content that doesn't decrypt. */
  private async readContent(reader: DeltaReader, { localId, n, content }: DeltaMessage): Promise<string | null> {
    const { stream, sessionId, encoding, tag, keyId } = reader;
    if (!stream.recipient.scopes.includes('sessions:content')) return null;
    const place = buildDeltaBinding(stream.accountId, tag, localId, n);
    const loadCiphertext = () => Promise.resolve({ content, keyId, place });
    try {
      const request = { sessionId, artifactId: null, encoding, loadCiphertext };
      const result = await this.contentReader.readContent(stream.caller, request);
      return result.encoding === 'sealed' ? result.content : result.bytes.toString();
    } catch (error) {
      if (error instanceof ApiError) return null;
      throw error;
    }
  }
}
