import { Injectable, Logger } from '@nestjs/common';
import { Clock, MINUTE } from '../../common/clock';

/** Token row of a verifier, as read by the lookup. */
export interface LastUsedRow {
  id: string;
  last_used_at: Date | null;
}

/** Sets the last use to `now` unless it is later than `before` already. Returns the stored value. */
export type UpdateLastUsed = (id: string, now: Date, before: Date) => Promise<Date | null>;

/** Records when tokens were last used and devices last seen, at most once a minute for each. */
@Injectable()
export class LastUsedRecorder {
  private readonly logger = new Logger('LastUsedRecorder');
  private readonly pendingIds = new Set<string>();

  constructor(private readonly clock: Clock) {}

  /** Writes in the background, so that the caller does not wait. A failure is only logged. */
  record(row: LastUsedRow, updateLastUsed: UpdateLastUsed): void {
    const now = this.clock.now();
    const isRecent = row.last_used_at && row.last_used_at.getTime() > now - MINUTE;
    if (isRecent || this.pendingIds.has(row.id)) return;
    this.pendingIds.add(row.id);
    this.writeLastUsed(row, updateLastUsed, now)
      .catch((error: Error) => {
        this.logger.warn({ id: row.id, reason: error.message }, 'last-used update failed');
      })
      .finally(() => this.pendingIds.delete(row.id));
  }

  /** Updates the cached row too: the token cache serves later calls from it. */
  private async writeLastUsed(row: LastUsedRow, updateLastUsed: UpdateLastUsed, now: number): Promise<void> {
    row.last_used_at = await updateLastUsed(row.id, new Date(now), new Date(now - MINUTE));
  }
}
