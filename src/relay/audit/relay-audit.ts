import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AccountsService } from '../../accounts';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { Changes } from '../../events';
import { UnitOfWork } from '../../persistence';
import type { RelayOrder } from '../calls/relay-order';
import type { RelayReply } from '../calls/relay-reply.dto';
import type { Outcome } from '../relay.errors';
import type { RelayCallEntity } from './relay-call.entity';
import { RelayCallsRepository } from './relay-calls.repository';
import { toRelayEvent } from './relay-event';

const FLUSH_MS = 500;
const MAX_BATCH = 500;
const MAX_BUFFERED = 20_000;

/** What the audit notes of a call beyond its order. */
export interface CallNotes {
  answer: RelayReply | ApiError;
  deviceId: string | null;
  resultBytes: number | null;
  routeMs: number | null;
  deviceMs: number | null;
  totalMs: number | null;
}

/** Rows are written behind the calls, at most a second late; those of keyed calls with their record. */
@Injectable()
export class RelayAudit implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('RelayAudit');
  private buffer: RelayCallEntity[] = [];
  private flushing: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: AccountsService,
    private readonly calls: RelayCallsRepository,
    private readonly changes: Changes,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  row({ caller, context, method, params, ...order }: RelayOrder, notes: CallNotes, startedAt: number): RelayCallEntity {
    const { answer, ...measured } = notes;
    const refusal = answer instanceof ApiError ? answer : null;
    return {
      requestId: context.requestId,
      accountId: caller.accountId,
      method,
      sessionId: order.sessionId,
      machineId: order.machineId,
      ...this.orderOf({ caller, params }),
      status: refusal?.status ?? 200,
      code: refusal?.code ?? null,
      outcome: refusal ? ((refusal.extras.members?.outcome as Outcome | undefined) ?? null) : 'answered',
      ...measured,
      createdAt: new Date(startedAt),
      traceparent: context.traceparent ?? null,
    };
  }

  /** What a call that outlives its origin is audited by. */
  orderOf({ caller, params }: Pick<RelayOrder, 'caller' | 'params'>) {
    const requestBytes = Buffer.byteLength(JSON.stringify(params));
    return { tokenId: caller.tokenId, appId: caller.appId, requestBytes };
  }

  /** In the caller's transaction: what would be known if this process died now. */
  async open(order: RelayOrder, unknown: ApiError): Promise<void> {
    const nothing = { deviceId: null, resultBytes: null, routeMs: null, deviceMs: null, totalMs: null };
    await this.save([this.row(order, { answer: unknown, ...nothing }, this.clock.now())]);
  }

  /** Calls that have ended, with the events that say so. */
  write(rows: RelayCallEntity[]): Promise<void> {
    return this.unitOfWork.run(async () => {
      for (const row of await this.save(rows)) this.changes.publish(toRelayEvent(row));
    });
  }

  remove(requestId: string): Promise<void> {
    return this.calls.remove(requestId);
  }

  /** Behind the call. Where the database stays away the oldest rows go first, and a log line says so. */
  note(row: RelayCallEntity): void {
    this.buffer.push(row);
    if (this.buffer.length > MAX_BUFFERED) {
      this.buffer.shift();
      this.logger.warn('the audit buffer is full: the oldest row was dropped');
    }
  }

  async find(accountId: string, requestId: string): Promise<RelayCallEntity | null> {
    await this.flush();
    return this.calls.find(accountId, requestId);
  }

  /** A row whose account was deleted meanwhile is left out: it must not hold up those behind it. */
  private async save(rows: RelayCallEntity[]): Promise<RelayCallEntity[]> {
    const standing = await this.accounts.holdStanding(rows.map((row) => row.accountId));
    const kept = rows.filter((row) => standing.has(row.accountId));
    if (kept.length > 0) await this.calls.save(kept);
    return kept;
  }

  private flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.writeBuffered());
    return this.flushing;
  }

  private async writeBuffered(): Promise<void> {
    while (this.buffer.length > 0) {
      const batch = this.buffer.slice(0, MAX_BATCH);
      try {
        await this.write(batch);
      } catch (error) {
        this.logger.warn({ rows: batch.length, reason: (error as Error).message }, 'audit rows wait to be written');
        return;
      }
      const written = new Set(batch);
      this.buffer = this.buffer.filter((row) => !written.has(row));
    }
  }
}
