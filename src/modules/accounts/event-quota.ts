import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { BufferedWriter } from '../../common/buffered-writer';
import { Clock } from '../../common/clock';
import { planLimitExceededError } from '../../common/errors';
import { Config } from '../../core/config';
import { UnitOfWork } from '../../core/database';
import { EventOutboxService } from '../../core/events';
import { AccountsRepository } from './accounts.repository';
import type { EventUsageEntity } from './event-usage.entity';
import { EventUsageRepository, type EventUsageState } from './event-usage.repository';

/** Bytes charged for an event, and for each of its deliveries, in addition to the payload: row and index entries. */
const ROW_OVERHEAD_BYTES = 512;
const FLUSH_INTERVAL_MS = 500;
/** Time after which the usage of a refused account is read again, since its limit may have been raised. */
const RECHECK_MS = 500;

/**
 * Quota of an account for events and their deliveries, by the day (docs/protocol/external-api.md#events-of-a-day).
 * Bytes are summed up in memory and written in the background, so that a write takes no lock for them. Instances learn
 * the sum of all when they add to it: an account that is at its limit can go on for half a second on each.
 */
@Injectable()
export class EventQuota implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly writer = new BufferedWriter<EventUsageEntity>('event usage', {
    writeRows: (sums) => this.writeSums(sums),
    flushIntervalMs: FLUSH_INTERVAL_MS,
    merging: { getKey: ({ accountId, day }) => `${accountId} ${day}`, addTo: (sum, { bytes }) => (sum.bytes += bytes) },
  });
  private readonly exceeded = new Map<string, { day: string; maxBytes: number; checkedAt: number }>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: AccountsRepository,
    private readonly eventUsage: EventUsageRepository,
    private readonly eventOutboxService: EventOutboxService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.eventOutboxService.committedEvents.subscribe((events) => {
      for (const { accountId, payload } of events) this.addPayload(accountId, payload);
    });
    this.writer.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.writer.stop();
  }

  /** Charges a stored event or delivery. */
  addPayload(accountId: string, payload: string): void {
    const bytes = Buffer.byteLength(payload) + ROW_OVERHEAD_BYTES;
    this.writer.add({ accountId, day: this.getDay(), bytes });
  }

  /**
   * Refuses what would make more events. Ends, deletions and revocations must not call it.
   * @throws ApiError 403 `plan_limit_exceeded`
   */
  async requireCapacity(accountId: string): Promise<void> {
    const known = this.exceeded.get(accountId);
    if (!known) return;
    const day = this.getDay();
    if (known.day === day && this.clock.monotonicMs() - known.checkedAt < RECHECK_MS)
      throw quotaExceeded(known.maxBytes);
    const state = await this.eventUsage.findState(accountId, day, this.defaultLimit);
    if (state) this.applyState(state, day);
    else this.exceeded.delete(accountId);
    if (state?.is_exceeded) throw quotaExceeded(Number(state.max_bytes));
  }

  /** Resolves when all bytes counted so far are written or their write has failed. */
  async flushSums(): Promise<void> {
    await this.writer.flush();
  }

  /** Leaves out accounts that were deleted meanwhile, which would make each retry fail, and all but the last day. */
  private async writeSums(sums: EventUsageEntity[]): Promise<void> {
    const ofLastDay = new Map(sums.map((sum) => [sum.accountId, sum]));
    const states = await this.unitOfWork.runInTransaction(async () => {
      const existing = await this.accounts.lockExisting([...ofLastDay.keys()]);
      const stored = [...ofLastDay.values()].filter(({ accountId }) => existing.has(accountId));
      return this.eventUsage.addBytes(stored, this.defaultLimit);
    });
    for (const state of states) this.applyState(state, ofLastDay.get(state.account_id)!.day);
  }

  private applyState(
    { account_id: accountId, is_exceeded: isExceeded, max_bytes: maxBytes }: EventUsageState,
    day: string,
  ) {
    if (!isExceeded) this.exceeded.delete(accountId);
    else this.exceeded.set(accountId, { day, maxBytes: Number(maxBytes), checkedAt: this.clock.monotonicMs() });
  }

  private get defaultLimit(): number {
    return this.config.planLimits.maxEventBytesPerDay;
  }

  private getDay(): string {
    return this.clock.currentDate().toISOString().slice(0, 'YYYY-MM-DD'.length);
  }
}

function quotaExceeded(maxBytes: number) {
  const detail = `An account can write at most ${maxBytes} bytes of events and deliveries a day, until 00:00 UTC.`;
  return planLimitExceededError(detail, maxBytes);
}
