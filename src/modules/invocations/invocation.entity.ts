import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { InvocationErrorCode, InvocationState } from '@external-api/protocol';

/** A command that may run for up to an hour. Metadata only: command, arguments, folder and output are not stored. */
@Entity('invocations')
export class InvocationEntity {
  /** `inv_` and the rest of the id of the relayed call that began the invocation. */
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  @Column('text')
  machineId!: string;

  /** Device of the machine, which runs the command and reports it. */
  @Column('text')
  deviceId!: string;

  /** Revision of the newest stored report, a counter of the device. 0 before the first one. */
  @Column('integer')
  revision!: number;

  /** Number of stored changes, from 1. */
  @Column('integer')
  version!: number;

  @Column('text')
  state!: InvocationState;

  @Column('text', { nullable: true })
  errorCode!: InvocationErrorCode | null;

  @Column('integer', { nullable: true })
  exitCode!: number | null;

  @Column('text', { nullable: true })
  signal!: string | null;

  @Column('boolean')
  timedOut!: boolean;

  @Column('bigint')
  stdoutBytes!: string;

  @Column('bigint')
  stderrBytes!: string;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  startedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;

  @Column('timestamptz')
  updatedAt!: Date;
}
