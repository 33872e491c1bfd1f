import { Injectable } from '@nestjs/common';
import { MAX_IN_FLIGHT_CALLS } from '../../relay-bus';

/** Maximum size of a frame. */
export const MAX_FRAME_BYTES = 4 * 1_048_576;
/** Covers the answers to all calls that a device may have in flight. */
export const MAX_BUDGET_BYTES = MAX_IN_FLIGHT_CALLS * MAX_FRAME_BYTES;
/** Covers bytes without a request: pongs, and answers repeated after a reconnect. */
export const INITIAL_BUDGET_BYTES = 2 * MAX_FRAME_BYTES;
const REFILL_BYTES_PER_SECOND = 64 * 1_024;

/**
 * Token bucket of the bytes that a device may send. Each request to the device adds one frame; time refills the rest.
 */
export class ByteBudget {
  private remainingBytes = INITIAL_BUDGET_BYTES;
  /** What remained after the last answer was expected. Returned bytes don't exceed it. */
  private ceilingBytes = INITIAL_BUDGET_BYTES;
  private updatedAt = performance.now();

  /** Returns false if the device has exceeded its budget. */
  consumeBytes(bytes: number): boolean {
    this.refillBytes();
    this.remainingBytes -= bytes;
    return this.remainingBytes >= 0;
  }

  /** Adds the maximum size of an answer. */
  addAnswerBytes(): void {
    this.refillBytes();
    this.remainingBytes = Math.min(MAX_BUDGET_BYTES, this.remainingBytes + MAX_FRAME_BYTES);
    this.ceilingBytes = Math.max(INITIAL_BUDGET_BYTES, this.remainingBytes);
  }

  /** Adds bytes that were consumed and don't count after all. */
  returnBytes(bytes: number): void {
    this.refillBytes();
    this.remainingBytes = Math.max(this.remainingBytes, Math.min(this.ceilingBytes, this.remainingBytes + bytes));
  }

  get msUntilFull(): number {
    this.refillBytes();
    return Math.max(0, ((INITIAL_BUDGET_BYTES - this.remainingBytes) / REFILL_BYTES_PER_SECOND) * 1_000);
  }

  private refillBytes(): void {
    const now = performance.now();
    const refilled = this.remainingBytes + ((now - this.updatedAt) / 1_000) * REFILL_BYTES_PER_SECOND;
    this.remainingBytes = Math.max(this.remainingBytes, Math.min(INITIAL_BUDGET_BYTES, refilled));
    this.updatedAt = now;
  }
}

/** Byte budgets of the devices that are connected to this instance. A reconnect does not refill a budget. */
@Injectable()
export class ByteBudgetRegistry {
  private readonly budgets = new Map<string, { budget: ByteBudget; sockets: number }>();

  /**
   * Returns the device's budget. It is stored until each call is matched by a `releaseBudget` and the budget is full
   * again.
   */
  acquireBudget(deviceId: string): ByteBudget {
    const entry = this.budgets.get(deviceId) ?? { budget: new ByteBudget(), sockets: 0 };
    this.budgets.set(deviceId, entry);
    entry.sockets += 1;
    return entry.budget;
  }

  releaseBudget(deviceId: string): void {
    const entry = this.budgets.get(deviceId);
    if (!entry) return;
    entry.sockets -= 1;
    setTimeout(() => {
      if (entry.sockets === 0 && entry.budget.msUntilFull <= 0) this.budgets.delete(deviceId);
    }, entry.budget.msUntilFull + 1).unref();
  }

  get size(): number {
    return this.budgets.size;
  }
}
