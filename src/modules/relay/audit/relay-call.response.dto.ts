import { ApiProperty } from '@nestjs/swagger';
import { RELAY_METHODS, type RelayMethod } from '@external-api/protocol';
import { CountField, IdField, UnixTimeField } from '../../../common/http';
import { OUTCOME_KINDS, type OutcomeKind } from '../relay.errors';
import type { RelayCallEntity } from './relay-call.entity';

const DURATION_FIELD = { type: 'integer', nullable: true, minimum: 0 } as const;

/** Audit row of a relayed call (docs/protocol/relay.md#audit). */
export class RelayCallDto {
  @IdField('req')
  requestId!: string;

  @ApiProperty({ type: String, enum: RELAY_METHODS, example: 'machine.invoke' })
  method!: RelayMethod;

  /** Device that got the call. */
  @IdField('dev')
  deviceId!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  sessionId!: string | null;

  /** Machine of the call or of its session. */
  @IdField('mch')
  machineId!: string | null;

  /** Calling token; null for a call of a device. */
  @IdField('tok')
  tokenId!: string | null;

  /** Client id of the calling app, if any. */
  @ApiProperty({ type: String, nullable: true, example: null })
  appId!: string | null;

  /** Calling account device; null for a call of a token. */
  @ApiProperty({ type: String, nullable: true, example: null })
  callerDeviceId!: string | null;

  @CountField(48)
  requestBytes!: number;

  @ApiProperty({ type: 'integer', nullable: true, minimum: 0, example: 32 })
  resultBytes!: number | null;

  /** HTTP status of the response to the caller. */
  @CountField(200, 100)
  status!: number;

  /** Error code of the response, if any. */
  @ApiProperty({ type: String, nullable: true, example: null })
  code!: string | null;

  @ApiProperty({ type: String, nullable: true, enum: OUTCOME_KINDS, example: 'answered' })
  outcome!: OutcomeKind | null;

  /** Milliseconds until the call was on its way to the device. */
  @ApiProperty({ ...DURATION_FIELD, example: 4 })
  routeMs!: number | null;

  /** Milliseconds that the device took. */
  @ApiProperty({ ...DURATION_FIELD, example: 401 })
  deviceMs!: number | null;

  @ApiProperty({ ...DURATION_FIELD, example: 412 })
  totalMs!: number | null;

  /** Whether the time limit ended the command. Null for calls of the previous release. */
  @ApiProperty({ type: Boolean, nullable: true, example: false })
  timedOut!: boolean | null;

  @UnixTimeField()
  createdAt!: number;
}

export function toRelayCallDto({ accountId: _, createdAt, ...row }: RelayCallEntity): RelayCallDto {
  return { ...row, createdAt: createdAt.getTime() };
}
