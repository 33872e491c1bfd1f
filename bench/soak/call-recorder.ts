import { CALL_KINDS, type CallKind } from './workload';

export interface LatencyQuantiles {
  count: number;
  /** ms from the scheduled start of the call until its response was read. */
  p50: number;
  p99: number;
  max: number;
}

/** Calls whose response arrived in one second. */
export interface CallerSecond {
  answered: number;
  all: LatencyQuantiles | null;
  kinds: Partial<Record<CallKind, LatencyQuantiles>>;
  /** Number of 4xx and 5xx responses and of calls without a response, by code. */
  errors: Record<string, number>;
  /** Calls without a response at the end of the second. */
  inFlight: number;
  /** Maximum delay in ms with which a call was sent, which the load generator causes itself. */
  sentLateMs: number;
}

export function computeQuantiles(latencies: number[]): LatencyQuantiles | null {
  if (latencies.length === 0) return null;
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number) => roundToTenth(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!);
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: roundToTenth(sorted.at(-1)!) };
}

/** Collects the calls of the current second. */
export class CallRecorder {
  private latencies = new Map<CallKind, number[]>();
  private errors: Record<string, number> = {};
  private sentLateMs = 0;

  recordAnswer(callKind: CallKind, ms: number): void {
    const list = this.latencies.get(callKind);
    if (list) list.push(ms);
    else this.latencies.set(callKind, [ms]);
  }

  recordFailure(code: string): void {
    this.errors[code] = (this.errors[code] ?? 0) + 1;
  }

  recordSendDelay(ms: number): void {
    this.sentLateMs = Math.max(this.sentLateMs, ms);
  }

  takeSecond(inFlight: number): CallerSecond {
    const all = CALL_KINDS.flatMap((kind) => this.latencies.get(kind) ?? []);
    const kinds = Object.fromEntries(
      CALL_KINDS.flatMap((kind) => {
        const quantiles = computeQuantiles(this.latencies.get(kind) ?? []);
        return quantiles ? [[kind, quantiles]] : [];
      }),
    ) as CallerSecond['kinds'];
    const second = { answered: all.length, all: computeQuantiles(all), kinds, errors: this.errors, inFlight };
    const sentLateMs = roundToTenth(this.sentLateMs);
    this.latencies = new Map();
    this.errors = {};
    this.sentLateMs = 0;
    return { ...second, sentLateMs };
  }
}

function roundToTenth(ms: number): number {
  return Math.round(ms * 10) / 10;
}
