import { ApiProperty } from '@nestjs/swagger';
import { RELAY_METHODS, type RelayMethod } from '@external-api/protocol';
import { IdField, UnixTimeField } from '../../../common/http';
import { OUTCOME_KINDS, type OutcomeKind } from '../relay.errors';
import type { RelayCallEntity } from './relay-call.entity';
import { EventData } from '../../../core/events';

/** A relayed call as its event shows it, without arguments and output (docs/protocol/webhooks.md#events). */
@EventData()
export class RelayEventDto {
  @IdField('req')
  requestId!: string;

  @ApiProperty({ type: String, enum: RELAY_METHODS, example: 'machine.invoke' })
  method!: RelayMethod;

  /** Session of the call, if any. */
  @ApiProperty({ type: String, nullable: true, example: null })
  sessionId!: string | null;

  /** Machine of the call or of its session, if any. */
  @IdField('mch')
  machineId!: string | null;

  /** Personal access token or app authorization that called. Calls of account devices cause no events. */
  @IdField('tok')
  tokenId!: string | null;

  @ApiProperty({ type: String, nullable: true, enum: OUTCOME_KINDS, example: 'answered' })
  outcome!: OutcomeKind | null;

  /** Duration of the call in milliseconds; null if the call outlived the instance that it was sent to. */
  @ApiProperty({ type: 'integer', nullable: true, minimum: 0, example: 412 })
  durationMs!: number | null;

  @UnixTimeField()
  createdAt!: number;
}

export function toRelayEventDto(row: RelayCallEntity): RelayEventDto {
  return {
    requestId: row.requestId,
    method: row.method,
    sessionId: row.sessionId,
    machineId: row.machineId,
    tokenId: row.tokenId,
    outcome: row.outcome,
    durationMs: row.totalMs,
    createdAt: row.createdAt.getTime(),
  };
}
