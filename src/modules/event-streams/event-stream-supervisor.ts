import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { TokenVerifierRegistry } from '../../access/auth';
import { Clock, MINUTE, SECOND } from '../../common/clock';
import { PeriodicTask } from '../../common/periodic-task';
import { ShutdownState } from '../../common/shutdown-state';
import { toEventRecipient } from '../event-access';
import { EventCursorService } from './event-cursor.service';
import { EventStream, type OpenStream } from './event-stream';
import { EventStreamRegistry } from './event-stream-registry';

/** A stream ends within a second after its credential was revoked, suspended or has expired. */
const CHECK_INTERVAL_MS = 500;
const COMMENT_INTERVAL_MS = 15 * SECOND;
const MAX_LIFETIME_MS = 15 * MINUTE;
/** Time for load balancers to notice that the instance drains, before clients reconnect. */
const DRAIN_NOTICE_MS = 3 * SECOND;
const DRAIN_SPREAD_MS = 9 * SECOND;
const DRAIN_STEP_MS = 50;

/** Ends streams whose credential or time is over, sends comments, and hands streams over when the instance drains. */
@Injectable()
export class EventStreamSupervisor implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly checkTask = new PeriodicTask('event stream check', CHECK_INTERVAL_MS, () => this.checkStreams());

  constructor(
    private readonly streams: EventStreamRegistry,
    private readonly eventCursors: EventCursorService,
    private readonly tokenVerifiers: TokenVerifierRegistry,
    private readonly shutdownState: ShutdownState,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.shutdownState.addHandOver(() => this.handOverStreams());
    // Ends the streams that were not handed over, because there is no other instance or no signal asked to stop.
    this.shutdownState.closingSignal.addEventListener('abort', () =>
      this.endStreams([...this.streams.listOpenStreams()]),
    );
    this.checkTask.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.checkTask.stop();
  }

  private async checkStreams(): Promise<void> {
    const now = this.clock.monotonicMs();
    const streams = [...this.streams.listOpenStreams()];
    this.endStreams(streams.filter(({ openedAt }) => now - openedAt >= MAX_LIFETIME_MS));
    for (const stream of streams) if (now - stream.commentedAt >= COMMENT_INTERVAL_MS) stream.writeComment(now);
    await this.verifyTokens(streams);
  }

  private async verifyTokens(streams: OpenStream[]): Promise<void> {
    if (streams.length === 0) return;
    const verifications = await this.tokenVerifiers.verifyTokens(new Set(streams.map(({ token }) => token)));
    for (const stream of streams) {
      const verification = verifications.get(stream.token);
      const caller = verification?.ok && !verification.principal.account.isSuspended ? verification.principal : null;
      if (caller && toEventRecipient(caller).scopes.includes(stream.requiredScope)) stream.updateCaller(caller);
      else stream.end(null);
    }
  }

  private endStreams(streams: OpenStream[]): void {
    for (const stream of streams) {
      const hasPlace = stream instanceof EventStream;
      stream.end(hasPlace ? this.eventCursors.encodePlace(stream.place, stream.generation) : '');
    }
  }

  /** Ends all streams, spread evenly, so that the other instances don't get all of their clients at once. */
  private async handOverStreams(): Promise<void> {
    const streams = [...this.streams.listOpenStreams()];
    if (streams.length === 0) return;
    await sleep(DRAIN_NOTICE_MS);
    const startedAt = this.clock.monotonicMs();
    for (let endedCount = 0; endedCount < streams.length; await sleep(DRAIN_STEP_MS)) {
      const elapsedShare = Math.min(1, (this.clock.monotonicMs() - startedAt) / DRAIN_SPREAD_MS);
      const dueCount = Math.ceil(elapsedShare * streams.length);
      this.endStreams(streams.slice(endedCount, dueCount));
      endedCount = dueCount;
    }
  }
}
