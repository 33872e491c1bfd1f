import { ApiProperty } from '@nestjs/swagger';
import {
  computeInvocationRequestId,
  INVOCATION_ERROR_CODES,
  INVOCATION_STATES,
  type InvocationErrorCode,
  type InvocationState,
} from '@external-api/protocol';
import { CountField, IdField, ObjectTypeField, UnixTimeField } from '../../common/http';
import type { RowOf } from '../../core/database';
import type { InvocationEntity } from './invocation.entity';
import { EventData } from '../../core/events';

/** A row of `invocations`. */
export type InvocationRow = RowOf<InvocationEntity>;

/** Invocation as returned by both APIs (docs/protocol/invocations.md#record). */
@EventData()
export class InvocationDto {
  @IdField('inv')
  id!: string;

  @ObjectTypeField('invocation')
  object!: 'invocation';

  @IdField('mch')
  machineId!: string;

  /** Relayed call that began the invocation. */
  @IdField('req')
  requestId!: string;

  /** Number of changes, from 1. */
  @CountField(3, 1)
  version!: number;

  @ApiProperty({ type: String, enum: INVOCATION_STATES, example: 'completed' })
  state!: InvocationState;

  /** Why the invocation failed, if it did. */
  @ApiProperty({ type: String, nullable: true, enum: INVOCATION_ERROR_CODES, example: null })
  errorCode!: InvocationErrorCode | null;

  /** Exit code of the command; null while it runs, and if a signal ended it. */
  @ApiProperty({ type: 'integer', nullable: true, example: 0 })
  exitCode!: number | null;

  /** Signal that ended the command. */
  @ApiProperty({ type: String, nullable: true, example: null })
  signal!: string | null;

  /** Whether the device ended the command because its time was up. */
  @ApiProperty({ example: false })
  timedOut!: boolean;

  /** Bytes that the command wrote to its standard output, known when it has ended. */
  @CountField(18_230)
  stdoutBytes!: number;

  /** Bytes that the command wrote to its standard error, known when it has ended. */
  @CountField(0)
  stderrBytes!: number;

  @UnixTimeField()
  createdAt!: number;

  @UnixTimeField()
  startedAt!: number | null;

  @UnixTimeField()
  endedAt!: number | null;
}

export function toInvocationDto(row: InvocationRow): InvocationDto {
  return {
    id: row.id,
    object: 'invocation',
    machineId: row.machine_id,
    requestId: computeInvocationRequestId(row.id),
    version: row.version,
    state: row.state,
    errorCode: row.error_code,
    exitCode: row.exit_code,
    signal: row.signal,
    timedOut: row.timed_out,
    stdoutBytes: Number(row.stdout_bytes),
    stderrBytes: Number(row.stderr_bytes),
    createdAt: row.created_at.getTime(),
    startedAt: row.started_at?.getTime() ?? null,
    endedAt: row.ended_at?.getTime() ?? null,
  };
}
