import { cpus, totalmem } from 'node:os';
import type { SoakOptions, SoakRun } from './run-soak';
import type { SoakCheck } from './soak-checks';

export interface SoakMachine {
  node: string;
  processor: string;
  cores: number;
  memoryBytes: number;
}

/** Complete result of a soak, which `--json` writes and the chart and the tables read. */
export interface SoakResult {
  startedAt: string;
  soakMachine: SoakMachine;
  options: SoakOptions;
  judgements: SoakCheck[];
  run: SoakRun;
}

export function describeMachine(): SoakMachine {
  return {
    node: process.version,
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
  };
}
