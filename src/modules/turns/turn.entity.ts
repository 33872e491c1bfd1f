import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { StopReason, TurnCost, TurnErrorCode, TurnOrigin, TurnState, TurnUsage } from '@external-api/protocol';

/** One message and everything that the agent does until it stops, or what it does by itself. Metadata only. */
@Entity('turns')
export class TurnEntity {
  /**
   * `turn_` and the rest of the id of the relayed call that began the turn, or of the device's own. Unique within the
   * account.
   */
  @PrimaryColumn('text')
  id!: string;

  @PrimaryColumn('text')
  sessionId!: string;

  @Column('text')
  accountId!: string;

  /** Device that reported the turn first. No other device may report it. */
  @Column('text')
  deviceId!: string;

  /** Revision of the newest stored report, a counter of the device. */
  @Column('integer')
  revision!: number;

  /** Number of stored changes, from 1. */
  @Column('integer')
  version!: number;

  /** The previous release writes none, which is `message`. */
  @Column('text')
  origin!: TurnOrigin;

  @Column('text')
  state!: TurnState;

  @Column('text', { nullable: true })
  stopReason!: StopReason | null;

  @Column('text', { nullable: true })
  errorCode!: TurnErrorCode | null;

  /** Lowest `seq` of the turn's messages; null if it has none. Messages of other turns may lie between. */
  @Column('integer', { nullable: true })
  firstSeq!: number | null;

  @Column('integer', { nullable: true })
  lastSeq!: number | null;

  @Column('integer')
  pendingPermissions!: number;

  @Column('jsonb', { nullable: true })
  usage!: TurnUsage | null;

  @Column('jsonb', { nullable: true })
  cost!: TurnCost | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  startedAt!: Date | null;

  /** When the agent last did something, by the clock of the device. Writes are bounded, and count as no change. */
  @Column('timestamptz', { nullable: true })
  lastActivityAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;

  @Column('timestamptz')
  updatedAt!: Date;
}
