import { KINDS, type Kind } from './mix';

export interface Quantiles {
  count: number;
  /** ms, from when the call should have been sent until its answer was read. */
  p50: number;
  p99: number;
  max: number;
}

/** What callers saw in a second: of calls whose answer came in it. */
export interface CallerSecond {
  answered: number;
  all: Quantiles | null;
  kinds: Partial<Record<Kind, Quantiles>>;
  /** Answers of 4xx and 5xx, and calls without an answer, by code. */
  errors: Record<string, number>;
  /** Sent and not answered at its end. */
  inFlight: number;
  /** How late the latest call of the second was sent, in ms: what the generator adds by itself. */
  sentLateMs: number;
}

export function quantilesOf(latencies: number[]): Quantiles | null {
  if (latencies.length === 0) return null;
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number) => round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!);
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: round(sorted.at(-1)!) };
}

/** Gathers what happens, and gives it away once a second. */
export class Tally {
  private latencies = new Map<Kind, number[]>();
  private errors: Record<string, number> = {};
  private sentLateMs = 0;

  answered(kind: Kind, ms: number): void {
    const list = this.latencies.get(kind);
    if (list) list.push(ms);
    else this.latencies.set(kind, [ms]);
  }

  failed(code: string): void {
    this.errors[code] = (this.errors[code] ?? 0) + 1;
  }

  sentLate(ms: number): void {
    this.sentLateMs = Math.max(this.sentLateMs, ms);
  }

  take(inFlight: number): CallerSecond {
    const all = KINDS.flatMap((kind) => this.latencies.get(kind) ?? []);
    const kinds = Object.fromEntries(
      KINDS.flatMap((kind) => {
        const quantiles = quantilesOf(this.latencies.get(kind) ?? []);
        return quantiles ? [[kind, quantiles]] : [];
      }),
    ) as CallerSecond['kinds'];
    const second = { answered: all.length, all: quantilesOf(all), kinds, errors: this.errors, inFlight };
    const sentLateMs = round(this.sentLateMs);
    this.latencies = new Map();
    this.errors = {};
    this.sentLateMs = 0;
    return { ...second, sentLateMs };
  }
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
