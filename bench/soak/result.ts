import { cpus, totalmem } from 'node:os';
import type { SoakOptions, SoakRun } from './run';
import type { Judgement } from './verdict';

export interface Machine {
  node: string;
  processor: string;
  cores: number;
  memoryBytes: number;
}

/** All of a soak, as `--json` writes it and the graph and the table read it. */
export interface SoakResult {
  startedAt: string;
  machine: Machine;
  options: SoakOptions;
  judgements: Judgement[];
  run: SoakRun;
}

export function thisMachine(): Machine {
  return {
    node: process.version,
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
  };
}
