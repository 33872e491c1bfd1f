/** Measures one side of a comparison once per round, in the unit of the row. */
export type Measurement = () => Promise<number>;

/** The running sides of a row. */
export interface BenchComparison {
  measured: Measurement;
  peer: Measurement;
  close: () => Promise<void>;
}

/** Minimum or maximum of the ratio of measured to peer. */
export type RatioGoal = { atLeast: number } | { atMost: number };

/** A row of the benchmark table. */
export interface BenchmarkRow {
  /** Name on the command line. */
  name: string;
  figure: string;
  against: string;
  unit: string;
  ratioGoal: RatioGoal;
  /** Limit for a row whose samples take long and vary little. */
  maxRounds?: number;
  /** Starts both sides and warms them up. */
  openComparison: () => Promise<BenchComparison>;
}

/** Resources of one row. Stops all of them in the reverse order of their start, even when some fail to stop. */
export class BenchCleanup {
  private readonly steps: (() => Promise<void>)[] = [];

  add<T extends { stop: () => Promise<void> }>(started: T): T {
    this.steps.unshift(() => started.stop());
    return started;
  }

  close = async (): Promise<void> => {
    for (const step of this.steps.splice(0)) {
      await step().catch((error: Error) => console.error(`stop failed: ${error.message}`));
    }
  };

  /** Stops the resources that have been started if `start` fails. */
  async runOrClose<T>(start: () => Promise<T>): Promise<T> {
    try {
      return await start();
    } catch (error) {
      await this.close();
      throw error;
    }
  }
}
