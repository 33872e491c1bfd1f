/** Value of a sample with the figures that explain it, each under a name with its unit. */
export interface DetailedValue {
  value: number;
  details: Record<string, number>;
}

/** Measures one side of a comparison once per round, in the unit of the row. */
export type Measurement = () => Promise<number | DetailedValue>;

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
  /** Null if the ratio is only reported. */
  ratioGoal: RatioGoal | null;
  /** Limit for a row whose samples take long and vary little. */
  maxRounds?: number;
  /** Starts both sides and warms them up. */
  openComparison: () => Promise<BenchComparison>;
  /** The same with another built checkout of the service in place of the peer, for `--against`. */
  openCheckoutComparison?: (folder: string) => Promise<BenchComparison>;
}

/** Resources of one row. Stops all of them in the reverse order of their start, even when some fail to stop. */
export class BenchCleanup {
  private static readonly open = new Set<BenchCleanup>();
  private readonly steps: (() => Promise<void>)[] = [];

  /** Stops the resources of all rows. PostgreSQL would outlive a bench that is interrupted. */
  static async closeAll(): Promise<void> {
    for (const benchCleanup of this.open) await benchCleanup.close();
  }

  add<T extends { stop: () => Promise<void> }>(started: T): T {
    BenchCleanup.open.add(this);
    this.steps.unshift(() => started.stop());
    return started;
  }

  close = async (): Promise<void> => {
    for (const step of this.steps.splice(0)) {
      await step().catch((error: Error) => console.error(`stop failed: ${error.message}`));
    }
    BenchCleanup.open.delete(this);
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
