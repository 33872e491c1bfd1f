import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Capability } from '../../wire';
import type { Outcome } from '../relay.errors';

/** One relayed call: ids, sizes, times and outcome, never the body (relay.md). */
@Entity('relay_calls')
export class RelayCallEntity {
  @PrimaryColumn('text')
  requestId!: string;

  @Column('text')
  accountId!: string;

  @Column('text')
  method!: Capability;

  @Column('text', { nullable: true })
  deviceId!: string | null;

  @Column('text', { nullable: true })
  sessionId!: string | null;

  @Column('text', { nullable: true })
  machineId!: string | null;

  @Column('text')
  tokenId!: string;

  @Column('text', { nullable: true })
  appId!: string | null;

  @Column('integer')
  requestBytes!: number;

  @Column('integer', { nullable: true })
  resultBytes!: number | null;

  /** The HTTP status that the caller was given. */
  @Column('integer')
  status!: number;

  @Column('text', { nullable: true })
  code!: string | null;

  @Column('text', { nullable: true })
  outcome!: Outcome | null;

  @Column('integer', { nullable: true })
  routeMs!: number | null;

  @Column('integer', { nullable: true })
  deviceMs!: number | null;

  @Column('integer', { nullable: true })
  totalMs!: number | null;

  @Column('timestamptz')
  createdAt!: Date;

  /** Of the caller's request, for the event that tells of the call; not kept. */
  traceparent?: string | null;
}
