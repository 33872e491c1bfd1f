/** One side of a comparison, run once for a round; the unit is the row's. */
export type Sample = () => Promise<number>;

/** What a row has running while it is measured. */
export interface Bench {
  measured: Sample;
  peer: Sample;
  close: () => Promise<void>;
}

/** What the ratio of measured to peer must reach, or must not exceed. */
export type Goal = { atLeast: number } | { atMost: number };

/** A row of the benchmark table. */
export interface Row {
  /** As it is named on the command line. */
  name: string;
  figure: string;
  against: string;
  unit: string;
  goal: Goal;
  /** Of a row whose samples are slow and steady. */
  maxRounds?: number;
  /** Starts both sides and warms them up. */
  open: () => Promise<Bench>;
}

/** Started things of one row, ended in the reverse order of their start, whatever became of the rest. */
export class Closing {
  private readonly steps: (() => Promise<void>)[] = [];

  add<T extends { stop: () => Promise<void> }>(started: T): T {
    this.steps.unshift(() => started.stop());
    return started;
  }

  close = async (): Promise<void> => {
    for (const step of this.steps.splice(0)) {
      await step().catch((error: Error) => console.error(`not ended cleanly: ${error.message}`));
    }
  };

  /** Ends what has been started when the rest does not start. */
  async guard<T>(start: () => Promise<T>): Promise<T> {
    try {
      return await start();
    } catch (error) {
      await this.close();
      throw error;
    }
  }
}
