import { ExpiringIds } from './expiring-ids';

/** No call lives longer (relay.md: 30 s from end to end), so a cancel that overtook its request need not either. */
const REMEMBERED_MS = 60_000;

/** Which calls may not run, or no longer: a cancel may come before, during or after its request. */
export class Cancellations {
  private readonly early: ExpiringIds;
  private readonly running = new Map<string, AbortController>();

  constructor(private readonly now: () => number) {
    this.early = new ExpiringIds(now);
  }

  /** Whether a cancel overtook its request. */
  has(requestId: string): boolean {
    return this.early.has(requestId);
  }

  /** Aborts when the call is cancelled from now on. */
  begin(requestId: string): AbortSignal {
    const controller = new AbortController();
    this.running.set(requestId, controller);
    return controller.signal;
  }

  end(requestId: string): void {
    this.running.delete(requestId);
  }

  cancel(requestId: string): void {
    this.early.add(requestId, this.now() + REMEMBERED_MS);
    this.running.get(requestId)?.abort();
  }

  cancelAll(): void {
    for (const controller of this.running.values()) controller.abort();
  }
}
