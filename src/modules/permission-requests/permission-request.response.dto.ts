import { ApiProperty } from '@nestjs/swagger';
import {
  PERMISSION_OPTION_KINDS,
  PERMISSION_REQUEST_STATES,
  type PermissionOption,
  type PermissionOptionKind,
  type PermissionRequestState,
} from '@external-api/protocol';
import { CountField, IdField, ObjectTypeField, UnixTimeField } from '../../common/http';
import type { RowOf } from '../../core/database';
import type { PermissionDecider, PermissionRequestEntity } from './permission-request.entity';
import { EventData } from '../../core/events';

/** A row of `permission_requests`. */
export type PermissionRequestRow = RowOf<PermissionRequestEntity>;

/** Row without ciphertext. */
export type PermissionRequestMetadataRow = Omit<PermissionRequestRow, 'content'>;

/** Option that the agent offers. Its name is part of the encrypted content. */
export class PermissionOptionDto implements PermissionOption {
  /** @example o1 */
  optionId!: string;

  @ApiProperty({ type: String, enum: PERMISSION_OPTION_KINDS, example: 'allow_once' })
  kind!: PermissionOptionKind;
}

/** Who decided. */
export class PermissionDeciderDto implements PermissionDecider {
  /** Personal access token; null if a device decided. */
  @ApiProperty({ type: String, nullable: true, example: 'tok_01m7xsah51f6ctt8c84t8wbh7e' })
  tokenId!: string | null;

  /** Account device; null if a token decided. */
  @ApiProperty({ type: String, nullable: true, example: null })
  deviceId!: string | null;
}

/** Permission request as shown by the External API, without content (docs/protocol/agents.md#permission-requests). */
@EventData()
export class PermissionRequestDto {
  @IdField('perm')
  id!: string;

  @ObjectTypeField('permission_request')
  object!: 'permission_request';

  @IdField('ses')
  sessionId!: string;

  @IdField('turn')
  turnId!: string;

  /**
   * Kind of the tool call, as the agent declares it. `question` without `options`: a question, which is answered.
   * @example execute
   */
  kind!: string;

  /** `expired` as soon as `expiresAt` is past. An answered question is `allowed`, a declined one `rejected`. */
  @ApiProperty({ type: String, enum: PERMISSION_REQUEST_STATES, example: 'pending' })
  state!: PermissionRequestState;

  /** What the agent offers, in its order. Empty for a question. */
  options!: PermissionOptionDto[];

  /** Who decided; null if nobody has, or if the device decided by itself. */
  @ApiProperty({ type: PermissionDeciderDto, nullable: true })
  decidedBy!: PermissionDeciderDto | null;

  @UnixTimeField()
  createdAt!: number;

  /** From then on the request counts as rejected. */
  @UnixTimeField(1_788_255_600_000)
  expiresAt!: number;

  @UnixTimeField(null)
  decidedAt!: number | null;
}

/** Permission request with its ciphertext, for the account's devices. */
export class DevicePermissionRequestDto extends PermissionRequestDto {
  /**
   * Id chosen by the device of the turn.
   * @example p-0001
   */
  localId!: string;

  /** Highest revision that the device has reported. */
  @CountField(1, 1)
  revision!: number;

  /** Option that was chosen, if any. */
  @ApiProperty({ type: String, nullable: true, example: null })
  optionId!: string | null;

  /**
   * Id of the data key that encrypts the content.
   * @example k1
   */
  keyId!: string;

  /** Compact JWE; null once it is deleted. */
  @ApiProperty({ type: String, nullable: true, example: 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..….….…' })
  content!: string | null;
}

/** Returns the state that callers see at this time. */
export function selectShownState(row: PermissionRequestMetadataRow, now: Date): PermissionRequestState {
  return row.state === 'pending' && row.expires_at <= now ? 'expired' : row.state;
}

export function toPermissionRequestDto(row: PermissionRequestMetadataRow, now: Date): PermissionRequestDto {
  return {
    id: row.id,
    object: 'permission_request',
    sessionId: row.session_id,
    turnId: row.turn_id,
    kind: row.kind,
    state: selectShownState(row, now),
    options: row.options.map(({ optionId, kind }) => ({ optionId, kind })),
    decidedBy: row.decided_by,
    createdAt: row.created_at.getTime(),
    expiresAt: row.expires_at.getTime(),
    decidedAt: row.decided_at?.getTime() ?? null,
  };
}

export function toDevicePermissionRequestDto(row: PermissionRequestRow, now: Date): DevicePermissionRequestDto {
  const { local_id: localId, revision, option_id: optionId, key_id: keyId, content } = row;
  return { ...toPermissionRequestDto(row, now), localId, revision, optionId, keyId, content };
}
