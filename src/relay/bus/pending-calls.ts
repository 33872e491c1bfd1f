const MAX_PER_ACCOUNT = 1_000;
const MAX_PER_INSTANCE = 20_000;

/** Calls that this instance waits for, bounded per account and in all (relay.md, Caps). */
export class PendingCalls {
  private readonly perAccount = new Map<string, number>();
  private total = 0;

  get size(): number {
    return this.total;
  }

  begin(accountId: string): boolean {
    const count = this.perAccount.get(accountId) ?? 0;
    if (count >= MAX_PER_ACCOUNT || this.total >= MAX_PER_INSTANCE) return false;
    this.perAccount.set(accountId, count + 1);
    this.total += 1;
    return true;
  }

  end(accountId: string): void {
    const count = (this.perAccount.get(accountId) ?? 0) - 1;
    if (count > 0) this.perAccount.set(accountId, count);
    else this.perAccount.delete(accountId);
    this.total -= 1;
  }
}
