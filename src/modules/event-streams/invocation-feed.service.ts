import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { PeriodicTask } from '../../common/periodic-task';
import { ChangeSignals } from '../../core/redis';
import { hasInvocationEnded, InvocationsService, toInvocationDto, type InvocationRow } from '../invocations';
import { LiveOutputService } from '../relay';
import { formatEvent } from './open-stream';
import type { InvocationStream } from './invocation-stream';
import { LiveEventMetrics } from './live-event-metrics';

/** Signals may be lost, so the invocations of all streams are read again after this time. */
const POLL_INTERVAL_MS = 2_000;
/** The last output and the report of the end reach the service by different ways. */
const LAST_OUTPUT_MS = 1_000;
/** A timer may fire a little early. */
const TIMER_ERROR_MS = 5;

/** Sends the output of invocations to their streams, and ends a stream when its invocation has ended. */
@Injectable()
export class InvocationFeedService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly streamsByInvocation = new Map<string, Set<InvocationStream>>();
  private dueIds = new Set<string>();
  private readonly checkTask = new PeriodicTask('invocation stream check', POLL_INTERVAL_MS, () => this.checkDue());
  private readonly pollTask = new PeriodicTask('invocation stream poll', POLL_INTERVAL_MS, () => {
    this.dueIds = new Set(this.streamsByInvocation.keys());
    this.checkTask.trigger();
  });

  constructor(
    private readonly invocations: InvocationsService,
    private readonly liveOutputService: LiveOutputService,
    private readonly changeSignals: ChangeSignals,
    private readonly metrics: LiveEventMetrics,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.changeSignals.changedKeys.subscribe((key) => {
      if (this.streamsByInvocation.has(key)) this.checkInvocation(key);
    });
    this.pollTask.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pollTask.stop();
    await this.checkTask.stop();
  }

  /** Sends `stream.opened` and then output, or the end of an invocation that has ended. */
  addStream(stream: InvocationStream, row: InvocationRow): void {
    stream.write(this.formatRecord('stream.opened', row));
    if (hasInvocationEnded(row.state)) return this.endStream(stream, row);
    const stopWatching = this.watchOutput(stream, row);
    const streams = this.streamsByInvocation.get(row.id) ?? new Set();
    this.streamsByInvocation.set(row.id, streams.add(stream));
    stream.onClose(() => {
      stopWatching();
      streams.delete(stream);
      if (streams.size === 0) this.streamsByInvocation.delete(row.id);
    });
    // The invocation may have ended after it was read.
    this.checkInvocation(row.id);
  }

  private watchOutput(stream: InvocationStream, { id, account_id: accountId, device_id: deviceId }: InvocationRow) {
    return this.liveOutputService.watchInvocation(accountId, { invocationId: id, deviceId }, (data) => {
      if (!stream.writeLiveEvent('output', data)) this.metrics.droppedEvents.inc({ type: 'output' });
    });
  }

  private checkInvocation(id: string): void {
    this.dueIds.add(id);
    this.checkTask.trigger();
  }

  private async checkDue(): Promise<void> {
    const ids = [...this.dueIds].filter((id) => this.streamsByInvocation.has(id));
    this.dueIds.clear();
    if (ids.length === 0) return;
    const states = await this.invocations.findStates(ids);
    for (const id of ids) {
      const state = states.get(id);
      const streams = [...(this.streamsByInvocation.get(id) ?? [])];
      // The record of a command that did not reach its device was deleted.
      if (state === undefined) for (const stream of streams) stream.end(null);
      else if (hasInvocationEnded(state)) await this.endStreams(streams);
      // A lost invocation has returned.
      else for (const stream of streams) stream.endedAt = null;
    }
  }

  /** Ends the streams of an invocation that has ended, after the time for its last output. */
  private async endStreams(streams: InvocationStream[]): Promise<void> {
    const now = this.clock.monotonicMs();
    for (const stream of streams) {
      if (stream.endedAt !== null) continue;
      stream.endedAt = now;
      setTimeout(() => this.checkInvocation(stream.invocationId), LAST_OUTPUT_MS + TIMER_ERROR_MS).unref();
    }
    const [first, ...others] = streams.filter(({ endedAt }) => now - endedAt! >= LAST_OUTPUT_MS);
    if (!first) return;
    const row = await this.invocations.requireInvocation(first.accountId, first.machineId, first.invocationId);
    if (!hasInvocationEnded(row.state)) return;
    for (const stream of [first, ...others]) this.endStream(stream, row);
  }

  private endStream(stream: InvocationStream, row: InvocationRow): void {
    stream.write(this.formatRecord('invocation.ended', row));
    stream.end(null);
  }

  private formatRecord(type: string, row: InvocationRow): string {
    const data = { id: null, type, timestamp: this.clock.now(), data: toInvocationDto(row) };
    return formatEvent(null, type, JSON.stringify(data));
  }
}
