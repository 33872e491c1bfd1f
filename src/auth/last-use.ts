import { Injectable, Logger } from '@nestjs/common';
import { Clock, MINUTE } from '../common/clock';

/** A row of whoever keeps tokens, as it was looked up. */
export interface UsedRow {
  id: string;
  last_used_at: Date | null;
}

/** Writes the row's last use unless another instance did after `before`; answers with what stands then. */
export type Touch = (id: string, now: Date, before: Date) => Promise<Date | null>;

/** When a token was last used, written at most once a minute. */
@Injectable()
export class LastUse {
  private readonly logger = new Logger('LastUse');
  private readonly underWay = new Set<string>();

  constructor(private readonly clock: Clock) {}

  /** Behind the call: that a token was used is no reason to make its caller wait. */
  note(row: UsedRow, touch: Touch): void {
    const now = this.clock.now();
    const isRecent = row.last_used_at && row.last_used_at.getTime() > now - MINUTE;
    if (isRecent || this.underWay.has(row.id)) return;
    this.underWay.add(row.id);
    this.write(row, touch, now)
      .catch((error: Error) => {
        this.logger.warn({ id: row.id, reason: error.message }, 'last use was not noted');
      })
      .finally(() => this.underWay.delete(row.id));
  }

  /** The look-up serves more calls, which go on from what the table holds now. */
  private async write(row: UsedRow, touch: Touch, now: number): Promise<void> {
    row.last_used_at = await touch(row.id, new Date(now), new Date(now - MINUTE));
  }
}
