/**
 * How long an early cancellation is remembered. No call lasts longer (docs/protocol/relay.md#timers: 30 s end to end).
 */
export const EARLY_CANCELLATION_TTL_MS = 60_000;

/** Registry of cancelled calls. A cancellation may arrive before, during or after its request. */
export class CancellationRegistry {
  private readonly earlyCancellations: ExpiringIdSet;
  private readonly controllers = new Map<string, AbortController>();

  constructor(private readonly now: () => number) {
    this.earlyCancellations = new ExpiringIdSet(now);
  }

  /** Returns whether the cancellation arrived before the request. */
  isCancelled(requestId: string): boolean {
    return this.earlyCancellations.has(requestId);
  }

  /** Returns a signal that aborts when the call is cancelled. */
  registerCall(requestId: string): AbortSignal {
    const controller = new AbortController();
    this.controllers.set(requestId, controller);
    return controller.signal;
  }

  unregisterCall(requestId: string): void {
    this.controllers.delete(requestId);
  }

  cancelCall(requestId: string): void {
    this.earlyCancellations.add(requestId, this.now() + EARLY_CANCELLATION_TTL_MS);
    this.controllers.get(requestId)?.abort();
  }

  cancelAllCalls(reason: string): void {
    for (const controller of this.controllers.values()) controller.abort(reason);
  }
}

/** Set of ids that expire. */
export class ExpiringIdSet {
  private readonly expiresAtById = new Map<string, number>();

  constructor(private readonly now: () => number) {}

  add(id: string, expiresAt: number): void {
    this.removeExpiredIds();
    this.expiresAtById.set(id, expiresAt);
  }

  has(id: string): boolean {
    return (this.expiresAtById.get(id) ?? -Infinity) > this.now();
  }

  get size(): number {
    return this.expiresAtById.size;
  }

  /** Deletes expired members. They are added roughly in order of expiry, so the first valid one ends the search. */
  private removeExpiredIds(): void {
    const now = this.now();
    for (const [id, expiresAt] of this.expiresAtById) {
      if (expiresAt > now) return;
      this.expiresAtById.delete(id);
    }
  }
}
