import type { DetailedValue } from '../benchmark-row';
import { CallClient } from './call-client';
import type { OutgoingRequest } from './http-load-client';
import { computeCpuUs, readThreadTimes, type ThreadTimesById } from './process-cpu';

/** Processes whose CPU time counts, by the name of their part. A part may start and end processes. */
export type MeasuredParts = Record<string, () => number[]>;

/** One side of a row that compares the CPU time of calls. */
export interface CpuSide {
  measuredParts: MeasuredParts;
  /** Requests that are sent in turn. */
  requests: OutgoingRequest[];
}

/** Calls of one sample. */
export interface CallSample {
  calls: number;
  inFlight: number;
}

/** Sends the calls of one side and measures the CPU time of all its processes. */
export class CallCpuMeter {
  private readonly callClient: CallClient;

  constructor(
    private readonly cpuSide: CpuSide,
    private readonly callSample: CallSample,
  ) {
    this.callClient = new CallClient(cpuSide.requests);
  }

  /** Returns the µs per call of all processes together, with the shares of the parts, throughput and latency. */
  measureCpu = async (): Promise<DetailedValue> => {
    const { calls, inFlight } = this.callSample;
    const before = this.readParts();
    const { durations, seconds } = await this.callClient.measureCalls(calls, inFlight);
    const after = this.readParts();
    const details: Record<string, number> = {};
    let value = 0;
    for (const [part, threadTimes] of after) {
      const us = computeCpuUs(before.get(part)!, threadTimes) / calls;
      details[`${part}, µs`] = us;
      value += us;
    }
    durations.sort((a, b) => a - b);
    return {
      value,
      details: {
        ...details,
        'calls/s': calls / seconds,
        'p50, ms': durations[Math.floor(calls * 0.5)]!,
        'p99, ms': durations[Math.floor(calls * 0.99)]!,
      },
    };
  };

  private readParts(): Map<string, ThreadTimesById> {
    return new Map(
      Object.entries(this.cpuSide.measuredParts).map(([part, listPids]) => [part, readThreadTimes(listPids())]),
    );
  }
}
