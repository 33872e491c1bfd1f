import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RelayMethod } from '@external-api/protocol';
import type { OutcomeKind } from '../relay.errors';

/** One relayed call: ids, sizes, times and outcome, never the body (docs/protocol/relay.md#audit). */
@Entity('relay_calls')
export class RelayCallEntity {
  @PrimaryColumn('text')
  requestId!: string;

  @Column('text')
  accountId!: string;

  @Column('text')
  method!: RelayMethod;

  /** Device that got the call. */
  @Column('text', { nullable: true })
  deviceId!: string | null;

  @Column('text', { nullable: true })
  sessionId!: string | null;

  /** Machine of the call or of its session. */
  @Column('text', { nullable: true })
  machineId!: string | null;

  /** Calling token; null for a call of a device. */
  @Column('text', { nullable: true })
  tokenId!: string | null;

  @Column('text', { nullable: true })
  appId!: string | null;

  /** Calling account device; null for a call of a token. */
  @Column('text', { nullable: true })
  callerDeviceId!: string | null;

  @Column('integer')
  requestBytes!: number;

  @Column('integer', { nullable: true })
  resultBytes!: number | null;

  /** HTTP status of the response to the caller. */
  @Column('integer')
  status!: number;

  @Column('text', { nullable: true })
  code!: string | null;

  @Column('text', { nullable: true })
  outcome!: OutcomeKind | null;

  @Column('integer', { nullable: true })
  routeMs!: number | null;

  @Column('integer', { nullable: true })
  deviceMs!: number | null;

  @Column('integer', { nullable: true })
  totalMs!: number | null;

  /** Whether the time limit ended the command. Null for calls of the previous release. */
  @Column('boolean', { nullable: true })
  timedOut!: boolean | null;

  @Column('timestamptz')
  createdAt!: Date;

  /** Trace context of the caller's request, for the event. It is not stored. */
  traceparent?: string | null;
}
