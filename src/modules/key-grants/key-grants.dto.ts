import { IsInt, IsOptional, IsString, Length, Max, MaxLength } from 'class-validator';
import { MAX_TIME } from '../../common/http';
import { IsRecipient, RecipientField, type RecipientKeyDto } from './recipient-key';

const MAX_GRANT_SEALED_KEY_LENGTH = 8_192;

export class CreateKeyGrantDto {
  @RecipientField(
    '`"service"`, or the public JWK of the only reader. Besides the listed members it may have `use` `enc`, `alg` ' +
      '`ECDH-ES+A256KW`, an empty `key_ops`, and `ext`.',
  )
  @IsRecipient()
  recipient!: 'service' | RecipientKeyDto;

  /** Compact JWE of the session's data key, sealed to the recipient: `ECDH-ES+A256KW`, `A256GCM`. */
  @Length(1, MAX_GRANT_SEALED_KEY_LENGTH)
  @IsString()
  sealedKey!: string;

  /** Personal access token that the grant is limited to. Defaults to all of the account if `appId` is absent too. */
  @IsOptional()
  @MaxLength(64)
  @IsString()
  tokenId?: string;

  /** Client id of the app that the grant is limited to. Must not be combined with `tokenId`. */
  @IsOptional()
  @MaxLength(64)
  @IsString()
  appId?: string;

  /** Future time in Unix milliseconds. If absent, the grant lasts until it is revoked. */
  @IsOptional()
  @Max(MAX_TIME)
  @IsInt()
  expiresAt?: number;
}
