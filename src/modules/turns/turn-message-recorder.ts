import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { TurnsRepository } from './turns.repository';

/** Message that belongs to a turn, or to none. */
interface TurnMessage {
  turnId: string | null;
  seq: number;
}

/** Assigns messages to turns, for the messages module. */
@Injectable()
export class TurnMessageRecorder {
  constructor(
    private readonly turns: TurnsRepository,
    private readonly clock: Clock,
  ) {}

  /** Returns those of the turns that the device has reported in the session. */
  async findOwnTurnIds(deviceId: string, sessionId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    return new Set(await this.turns.findIdsOfDevice(deviceId, sessionId, [...new Set(ids)]));
  }

  /**
   * Extends `firstSeq` and `lastSeq` of the turns to new messages. Requires the transaction that appends them and the
   * session's lock. The version stays, so that callers who wait for a turn don't wake up for each message.
   */
  async recordMessages(sessionId: string, messages: readonly TurnMessage[]): Promise<void> {
    const seqsByTurn = new Map<string, number[]>();
    for (const { turnId, seq } of messages) {
      if (turnId) seqsByTurn.set(turnId, [...(seqsByTurn.get(turnId) ?? []), seq]);
    }
    const ranges = [...seqsByTurn].map(([turnId, seqs]) => ({
      turnId,
      firstSeq: Math.min(...seqs),
      lastSeq: Math.max(...seqs),
    }));
    if (ranges.length > 0) await this.turns.extendSeqRanges(sessionId, ranges, this.clock.currentDate());
  }
}
