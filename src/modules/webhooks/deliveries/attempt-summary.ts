/** Attempts to sum up: those since `from`, in Unix ms, by slots of `slotMs`. */
export interface AttemptSearch {
  from: number;
  slotMs: number;
}

/** Result of the attempts of a webhook in some time. */
export interface AttemptSummary {
  attempts: number;
  /** Those that were accepted with a 2xx status. */
  succeeded: number;
  /** Half of the responses took up to this, in ms; null without a response. */
  medianMs: number | null;
  /** 95 % of the responses took up to this, in ms; null without a response. */
  slowMs: number | null;
}

/** Attempts that ended in a slot. */
export interface AttemptSlot extends AttemptSummary {
  /** Unix ms. */
  start: number;
}

export interface AttemptStatistics {
  total: AttemptSummary;
  /** Slots with attempts, oldest first. */
  slots: AttemptSlot[];
}

/** Counts are strings, as the database returns bigints. */
export interface AttemptSummaryRow {
  /** Null for all attempts. */
  slot: string | null;
  attempts: string;
  succeeded: string;
  median_ms: number | null;
  slow_ms: number | null;
}

export function toAttemptStatistics(rows: readonly AttemptSummaryRow[], slotMs: number): AttemptStatistics {
  const slots = rows.flatMap((row) =>
    row.slot === null ? [] : [{ start: Number(row.slot) * slotMs, ...toSummary(row) }],
  );
  // A sum of everything has one row, also without attempts.
  return { total: toSummary(rows.find(({ slot }) => slot === null)!), slots };
}

function toSummary({ attempts, succeeded, median_ms: medianMs, slow_ms: slowMs }: AttemptSummaryRow): AttemptSummary {
  return { attempts: Number(attempts), succeeded: Number(succeeded), medianMs, slowMs };
}
