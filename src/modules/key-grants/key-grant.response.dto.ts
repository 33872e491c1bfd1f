import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import type { EncryptionKey } from '@external-api/protocol';
import { IdField, buildIdPattern, ObjectTypeField, PublicKeyField, UnixTimeField } from '../../common/http';
import { RecipientField, RecipientKeyDto } from './recipient-key';
import type { RowOf } from '../../core/database';
import type { KeyGrantEntity } from './key-grant.entity';
import { EventData } from '../../core/events';

/** A row of `key_grants`. */
export type KeyGrantRow = RowOf<KeyGrantEntity>;

/** Grant as returned by the API, without the sealed key. */
@ApiExtraModels(RecipientKeyDto)
@EventData()
export class KeyGrantDto {
  @IdField('grt')
  id!: string;

  @ObjectTypeField('key_grant')
  object!: 'key_grant';

  /** Session of the grant; null for a grant of an artifact. */
  @IdField('ses')
  sessionId!: string | null;

  /** Artifact of the grant; null for a grant of a session. */
  @ApiProperty({ type: String, pattern: buildIdPattern('art'), example: null })
  artifactId!: string | null;

  @RecipientField('Recipient that can decrypt the sealed key.')
  recipient!: 'service' | RecipientKeyDto;

  /**
   * `kid` of the recipient's key, else its thumbprint (RFC 7638).
   * @example kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k
   */
  recipientKeyId!: string;

  /** Personal access token that the grant is limited to, if any. */
  @IdField('tok')
  tokenId!: string | null;

  /** Client id of the app that the grant is limited to, if any. */
  @ApiProperty({ example: null })
  appId!: string | null;

  @UnixTimeField()
  createdAt!: number;

  /** When the grant expires; null if it lasts until it is revoked. */
  @UnixTimeField(null)
  expiresAt!: number | null;
}

/** Public key to which devices seal grants for the service (docs/protocol/encryption.md#key-grants). */
export class GrantRecipientDto {
  /** @example grant-1 */
  kid!: string;

  @PublicKeyField('X25519')
  publicKey!: EncryptionKey;
}

export function toKeyGrantDto(row: KeyGrantRow): KeyGrantDto {
  return {
    id: row.id,
    object: 'key_grant',
    sessionId: row.session_id,
    artifactId: row.artifact_id,
    recipient: row.recipient ?? 'service',
    recipientKeyId: row.recipient_key_id,
    tokenId: row.token_id,
    appId: row.app_id,
    createdAt: row.created_at.getTime(),
    expiresAt: row.expires_at?.getTime() ?? null,
  };
}
