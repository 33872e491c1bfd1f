import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { KnownToken } from './token-verifier';

/** So that what ends on one instance ends on all of them within a second, without their being told. */
const TRUSTED_MS = 500;
const MAX_KEPT = 10_000;

interface Moment {
  clock: number;
  monotonic: number;
}

/**
 * What was found out about tokens a moment ago, under their hashes. A look-up is as old as its question, not as its
 * answer. Only tokens that exist are kept: anybody can make up millions of others, and they would push those out.
 */
@Injectable()
export class RecentLookUps {
  /** In the order in which they were answered, so that the oldest come first. */
  private readonly kept = new Map<string, { asked: Moment; token: KnownToken }>();
  private readonly underWay = new Map<string, { asked: Moment; answer: Promise<KnownToken | null> }>();

  constructor(private readonly clock: Clock) {}

  /** Calls that come at once share one look-up, and its failure, which is not kept. */
  async find(hash: Buffer, lookUp: () => Promise<KnownToken | null>): Promise<KnownToken | null> {
    const key = hash.toString('base64');
    const kept = this.kept.get(key);
    if (kept && this.isTrusted(kept.asked)) return kept.token;
    const underWay = this.underWay.get(key);
    if (underWay && this.isTrusted(underWay.asked)) return underWay.answer;
    return this.ask(key, lookUp);
  }

  /** The next call with any token of the account asks the database; call it when the change has committed. */
  forget(accountId: string): void {
    for (const [key, { token }] of this.kept) if (token.accountId === accountId) this.kept.delete(key);
    // These may have read what was there before the change, and whose they are nobody knows yet.
    this.underWay.clear();
  }

  /** The same for every account, where a change concerns too many to name. */
  forgetAll(): void {
    this.kept.clear();
    this.underWay.clear();
  }

  private ask(key: string, lookUp: () => Promise<KnownToken | null>): Promise<KnownToken | null> {
    const asked = { clock: this.clock.now(), monotonic: this.clock.monotonic() };
    const answer = lookUp()
      .then((token) => {
        if (token && this.underWay.get(key) === question) this.keep(key, asked, token);
        return token;
      })
      .finally(() => {
        if (this.underWay.get(key) === question) this.underWay.delete(key);
      });
    const question = { asked, answer };
    this.underWay.set(key, question);
    return answer;
  }

  private keep(key: string, asked: Moment, token: KnownToken): void {
    this.kept.delete(key);
    this.kept.set(key, { asked, token });
    for (const [oldest, { asked: then }] of this.kept) {
      if (this.kept.size <= MAX_KEPT && this.isTrusted(then)) break;
      this.kept.delete(oldest);
    }
  }

  /** By both clocks: set back, the one that can be set would make a look-up young again. */
  private isTrusted({ clock, monotonic }: Moment): boolean {
    const age = this.clock.now() - clock;
    return age >= 0 && age < TRUSTED_MS && this.clock.monotonic() - monotonic < TRUSTED_MS;
  }
}
