import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { TokenVerifierRegistry } from '../../access/auth';
import { Clock, MINUTE, SECOND } from '../../common/clock';
import { PeriodicTask } from '../../common/periodic-task';
import { ShutdownState } from '../../common/shutdown-state';
import { toEventRecipient } from '../event-access';
import { EventCursorService } from './event-cursor.service';
import { EventStream } from './event-stream';
import { EventStreamRegistry } from './event-stream-registry';
import type { OpenStream } from './open-stream';

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
  private readonly timeTask = new PeriodicTask('event stream times', CHECK_INTERVAL_MS, () => this.checkTimes());
  /** By itself, so that a database that doesn't answer delays no comment. */
  private readonly tokenTask = new PeriodicTask('event stream tokens', CHECK_INTERVAL_MS, () => this.verifyTokens());

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
    this.shutdownState.closingSignal.addEventListener('abort', () => this.endStreams([...this.streams.listStreams()]));
    this.timeTask.start();
    this.tokenTask.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.timeTask.stop(), this.tokenTask.stop()]);
  }

  private checkTimes(): void {
    const now = this.clock.monotonicMs();
    const streams = [...this.streams.listStreams()];
    this.endStreams(streams.filter(({ openedAt }) => now - openedAt >= MAX_LIFETIME_MS));
    for (const stream of streams) if (now - stream.commentedAt >= COMMENT_INTERVAL_MS) stream.writeComment(now);
  }

  private async verifyTokens(): Promise<void> {
    const streams = [...this.streams.listStreams()];
    if (streams.length === 0) return;
    const verifications = await this.tokenVerifiers.verifyTokens(new Set(streams.map(({ token }) => token)));
    for (const stream of streams) {
      const verification = verifications.get(stream.token);
      const caller = verification?.ok && !verification.principal.account.isSuspended ? verification.principal : null;
      const { requiredScope } = stream;
      const mayRead = caller && (!requiredScope || toEventRecipient(caller).scopes.includes(requiredScope));
      if (mayRead) stream.updateCaller(caller);
      else stream.revoke();
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
    const streams = [...this.streams.listStreams()];
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
