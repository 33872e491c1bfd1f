import { IsInt, IsOptional, IsString, Length, Max, MaxLength } from 'class-validator';
import { IsRecipient, type RecipientKey } from './recipient-key';

const MAX_SEALED_KEY = 8_192;
/** The last point in time that a JavaScript date can name. */
const END_OF_TIME = 8_640_000_000_000_000;

export class CreateKeyGrantDto {
  /** `"service"`, or the public JWK of whoever is to open it */
  @IsRecipient()
  recipient!: 'service' | RecipientKey;

  /** Compact JWE */
  @Length(1, MAX_SEALED_KEY)
  @IsString()
  sealedKey!: string;

  /** The one token that it is for */
  @IsOptional()
  @MaxLength(64)
  @IsString()
  tokenId?: string;

  /** The client id of the one app that it is for; not together with `tokenId` */
  @IsOptional()
  @MaxLength(64)
  @IsString()
  appId?: string;

  /** Unix ms, in the future; absent: until it is revoked */
  @IsOptional()
  @Max(END_OF_TIME)
  @IsInt()
  expiresAt?: number;
}
