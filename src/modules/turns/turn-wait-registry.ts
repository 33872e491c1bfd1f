import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { ApiError } from '../../common/errors';

const MAX_WAITS_PER_ACCOUNT = 200;
const MAX_WAITS = 5_000;

/** Call that waits until the version of a turn is greater than `afterVersion` or the turn has ended. */
export interface TurnWait {
  accountId: string;
  sessionId: string;
  turnId: string;
  afterVersion: number;
  /** Ends the wait. Further calls do nothing. */
  end: () => void;
}

/** Key of a turn in signals between instances. */
export function buildTurnKey(sessionId: string, turnId: string): string {
  return `${sessionId}/${turnId}`;
}

/** Waits that this instance holds, limited per account and in total. */
@Injectable()
export class TurnWaitRegistry {
  private readonly waitsByTurn = new Map<string, Set<TurnWait>>();
  private readonly countsByAccount = new Map<string, number>();
  private count = 0;

  constructor(registry: Registry) {
    const getCount = () => this.count;
    new Gauge({
      name: 'turn_waits',
      help: 'Calls of this instance that wait for a turn',
      registers: [registry],
      collect() {
        this.set(getCount());
      },
    });
  }

  get turnKeys(): string[] {
    return [...this.waitsByTurn.keys()];
  }

  hasWaits(key: string): boolean {
    return this.waitsByTurn.has(key);
  }

  getWaits(key: string): TurnWait[] {
    return [...(this.waitsByTurn.get(key) ?? [])];
  }

  /** @throws ApiError 429 `too_many_waits` */
  addWait(wait: TurnWait): void {
    const accountCount = this.countsByAccount.get(wait.accountId) ?? 0;
    if (accountCount >= MAX_WAITS_PER_ACCOUNT || this.count >= MAX_WAITS) throw tooManyWaitsError();
    const key = buildTurnKey(wait.sessionId, wait.turnId);
    const waits = this.waitsByTurn.get(key) ?? new Set();
    this.waitsByTurn.set(key, waits.add(wait));
    this.countsByAccount.set(wait.accountId, accountCount + 1);
    this.count += 1;
  }

  removeWait(wait: TurnWait): void {
    const key = buildTurnKey(wait.sessionId, wait.turnId);
    const waits = this.waitsByTurn.get(key);
    if (!waits?.delete(wait)) return;
    if (waits.size === 0) this.waitsByTurn.delete(key);
    const accountCount = this.countsByAccount.get(wait.accountId)! - 1;
    if (accountCount === 0) this.countsByAccount.delete(wait.accountId);
    else this.countsByAccount.set(wait.accountId, accountCount);
    this.count -= 1;
  }
}

function tooManyWaitsError(): ApiError {
  return new ApiError('too_many_waits', 'Too many calls wait for turns. Try again when one of them has ended.', {
    headers: { 'Retry-After': '1' },
  });
}
