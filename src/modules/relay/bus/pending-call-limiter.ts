const MAX_CALLS_PER_ACCOUNT = 1_000;
const MAX_CALLS_PER_INSTANCE = 20_000;

/** Limits the calls that this instance waits for, per account and in total (docs/protocol/relay.md#limits). */
export class PendingCallLimiter {
  private readonly countByAccount = new Map<string, number>();
  private totalCount = 0;

  get size(): number {
    return this.totalCount;
  }

  acquireSlot(accountId: string): boolean {
    const count = this.countByAccount.get(accountId) ?? 0;
    if (count >= MAX_CALLS_PER_ACCOUNT || this.totalCount >= MAX_CALLS_PER_INSTANCE) return false;
    this.countByAccount.set(accountId, count + 1);
    this.totalCount += 1;
    return true;
  }

  releaseSlot(accountId: string): void {
    const count = (this.countByAccount.get(accountId) ?? 0) - 1;
    if (count > 0) this.countByAccount.set(accountId, count);
    else this.countByAccount.delete(accountId);
    this.totalCount -= 1;
  }
}
