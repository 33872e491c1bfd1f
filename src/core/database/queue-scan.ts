import { SECOND, type Clock } from '../../common/clock';

/** How often a scan also covers recent positions, and how far it looks back, in ms. */
const RECENT_INTERVAL_MS = SECOND;
const RECENT_MS = 10 * SECOND;
/** How often a scan covers the whole queue. A slow scan is repeated less often: it takes at most 1 % of the time. */
const FULL_INTERVAL_MS = 5 * SECOND;
const FULL_SCAN_SHARE = 0.01;

/** Scan of a queue that has started. */
export interface StartedScan {
  /** Position at which the scan starts. `-Infinity` for the whole queue. */
  from: number;
  /**
   * Call it when the scan has committed.
   * @param next position from which rows may be left; none are by default
   */
  complete: (next?: number) => void;
}

/**
 * Start positions for scans of a queue table that is ordered by time, in ms. While a transaction holds an old snapshot,
 * PostgreSQL retains the deleted rows of the queue, and a scan of the whole queue reads all of them. Scans therefore
 * start at the lowest position that may have rows. This instance knows the positions of the rows that it commits,
 * however late. Rows that another instance left are found by a scan of the last ten seconds, once a second, or of the
 * whole queue, every five seconds (docs/decisions/0045).
 */
export class QueueScan {
  private lowest = Infinity;
  /** Start of a scan that has not completed. Its transaction may have been rolled back. */
  private uncompletedFrom = Infinity;
  private nextRecentAt = -Infinity;
  private nextFullAt = -Infinity;

  constructor(private readonly clock: Pick<Clock, 'monotonicMs'>) {}

  /** Makes the next scan start at this position or below. Call it after rows were committed there. */
  include(position: number): void {
    this.lowest = Math.min(this.lowest, position);
  }

  /** Makes the next scan cover the whole queue. */
  includeAll(): void {
    this.nextFullAt = -Infinity;
  }

  /**
   * Starts a scan. Scans must not overlap.
   * @param now the current position
   */
  start(now: number): StartedScan {
    const startedAt = this.clock.monotonicMs();
    const known = Math.min(this.lowest, this.uncompletedFrom);
    this.uncompletedFrom = known;
    this.lowest = Infinity;
    const isFull = startedAt >= this.nextFullAt;
    // A full scan that fails is repeated soon, and the scans between cover what is known.
    if (isFull) this.nextFullAt = startedAt + RECENT_INTERVAL_MS;
    const isRecent = startedAt >= this.nextRecentAt;
    if (isRecent) this.nextRecentAt = startedAt + RECENT_INTERVAL_MS;
    const nearFrom = isRecent ? Math.min(known, now - RECENT_MS) : Math.min(known, now);
    return {
      from: isFull ? -Infinity : nearFrom,
      complete: (next = Infinity) => {
        this.uncompletedFrom = Infinity;
        this.include(next);
        if (isFull && this.nextFullAt > -Infinity) this.scheduleFullScan(startedAt);
      },
    };
  }

  private scheduleFullScan(startedAt: number): void {
    const endedAt = this.clock.monotonicMs();
    this.nextFullAt = endedAt + Math.max(FULL_INTERVAL_MS, (endedAt - startedAt) / FULL_SCAN_SHARE);
  }
}
