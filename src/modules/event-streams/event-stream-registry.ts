import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { ApiError } from '../../common/errors';
import { Config } from '../../core/config';
import { addGauge } from '../../core/metrics';
import { EventStream } from './event-stream';
import type { OpenStream } from './open-stream';

/** Streams that this instance holds, limited per credential, per account and in total. */
@Injectable()
export class EventStreamRegistry {
  private readonly streamsByAccount = new Map<string, Set<OpenStream>>();
  private count = 0;
  private readonly openedCounter: Counter;

  constructor(
    private readonly config: Config,
    registry: Registry,
  ) {
    addGauge(registry, 'event_streams', 'Event streams that this instance holds', () => this.count);
    this.openedCounter = new Counter({
      name: 'event_streams_opened_total',
      help: 'Event streams that were opened',
      registers: [registry],
    });
  }

  get size(): number {
    return this.count;
  }

  /** Returns all streams, those of invocations included. */
  *listStreams(): Iterable<OpenStream> {
    for (const streams of this.streamsByAccount.values()) yield* streams;
  }

  *listEventStreams(): Iterable<EventStream> {
    for (const stream of this.listStreams()) if (stream instanceof EventStream) yield stream;
  }

  *listAccountEventStreams(accountId: string): Iterable<EventStream> {
    for (const stream of this.streamsByAccount.get(accountId) ?? []) if (stream instanceof EventStream) yield stream;
  }

  /** @throws ApiError 429 `too_many_streams` */
  requireCapacity(accountId: string, credentialId: string): void {
    const { perToken, perAccount, perInstance } = this.config.eventStreams;
    const streams = this.streamsByAccount.get(accountId);
    const ofCredential = [...(streams ?? [])].filter((each) => each.credentialId === credentialId).length;
    if (this.count >= perInstance || (streams?.size ?? 0) >= perAccount || ofCredential >= perToken) {
      throw tooManyStreamsError();
    }
  }

  /** Adds the stream until it closes. @throws ApiError 429 `too_many_streams` */
  addStream(stream: OpenStream): void {
    const { accountId, credentialId } = stream;
    this.requireCapacity(accountId, credentialId);
    const streams = this.streamsByAccount.get(accountId) ?? new Set();
    this.streamsByAccount.set(accountId, streams.add(stream));
    this.count += 1;
    this.openedCounter.inc();
    stream.onClose(() => {
      this.count -= 1;
      streams.delete(stream);
      if (streams.size === 0) this.streamsByAccount.delete(accountId);
    });
  }
}

function tooManyStreamsError(): ApiError {
  return new ApiError('too_many_streams', 'Too many event streams are open. Close one, or try again later.', {
    headers: { 'Retry-After': '5' },
  });
}
