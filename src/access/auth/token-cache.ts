import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { KnownToken } from './token-verifier';

/** Bounds how long other instances accept a revoked token: less than a second, without a notification. */
const MAX_AGE_MS = 500;
const MAX_ENTRIES = 10_000;

interface LookupTime {
  clock: number;
  monotonic: number;
}

/**
 * Cache of recent token lookups, by token hash. The age of a lookup counts from its start. Unknown tokens are not
 * cached: made-up tokens would evict the real ones.
 */
@Injectable()
export class TokenCache {
  /** In the order of completion, oldest first. */
  private readonly entries = new Map<string, { asked: LookupTime; token: KnownToken }>();
  private readonly pendingLookups = new Map<string, { asked: LookupTime; answer: Promise<KnownToken | null> }>();

  constructor(private readonly clock: Clock) {}

  /** Shares one lookup among concurrent calls, and its failure too. Failures are not cached. */
  async getOrLoad(hash: Buffer, loadToken: () => Promise<KnownToken | null>): Promise<KnownToken | null> {
    const key = hash.toString('base64');
    const cached = this.entries.get(key);
    if (cached && this.isFresh(cached.asked)) return cached.token;
    const pending = this.pendingLookups.get(key);
    if (pending && this.isFresh(pending.asked)) return pending.answer;
    return this.startLookup(key, loadToken);
  }

  /** Makes the next call with any token of the account read the database. Call it after the commit. */
  invalidateAccount(accountId: string): void {
    for (const [key, { token }] of this.entries) if (token.accountId === accountId) this.entries.delete(key);
    // Pending lookups may have read the state before the change, and their account is unknown yet.
    this.pendingLookups.clear();
  }

  /** Invalidates all accounts, for changes that affect too many to list. */
  invalidateAll(): void {
    this.entries.clear();
    this.pendingLookups.clear();
  }

  private startLookup(key: string, loadToken: () => Promise<KnownToken | null>): Promise<KnownToken | null> {
    const startedAt = { clock: this.clock.now(), monotonic: this.clock.monotonicMs() };
    const result = loadToken()
      .then((token) => {
        if (token && this.pendingLookups.get(key) === lookup) this.storeToken(key, startedAt, token);
        return token;
      })
      .finally(() => {
        if (this.pendingLookups.get(key) === lookup) this.pendingLookups.delete(key);
      });
    const lookup = { asked: startedAt, answer: result };
    this.pendingLookups.set(key, lookup);
    return result;
  }

  private storeToken(key: string, startedAt: LookupTime, token: KnownToken): void {
    this.entries.delete(key);
    this.entries.set(key, { asked: startedAt, token });
    for (const [oldest, { asked: oldestStartedAt }] of this.entries) {
      if (this.entries.size <= MAX_ENTRIES && this.isFresh(oldestStartedAt)) break;
      this.entries.delete(oldest);
    }
  }

  /** Checks both clocks: if the wall clock is set back, an old lookup would look fresh. */
  private isFresh({ clock, monotonic }: LookupTime): boolean {
    const age = this.clock.now() - clock;
    return age >= 0 && age < MAX_AGE_MS && this.clock.monotonicMs() - monotonic < MAX_AGE_MS;
  }
}
