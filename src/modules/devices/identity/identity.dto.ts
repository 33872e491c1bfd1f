import { IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import type { EncryptionKey, SigningKey } from '@external-api/protocol';
import { DisplayName, NestedObject, PublicKeyField } from '../../../common/http';
import { IsOkpKey } from './okp-key';

export class CreateChallengeDto {
  @PublicKeyField('Ed25519')
  @IsOkpKey('Ed25519')
  publicKey!: SigningKey;

  @IsOptional()
  @PublicKeyField('X25519', { required: false })
  @IsOkpKey('X25519')
  encryptionKey?: EncryptionKey;
}

/** Challenge with the device's signature. */
export class SignedChallengeDto {
  @MaxLength(200)
  @IsString()
  challenge!: string;

  /** Ed25519 signature over the challenge's message, in base64url. */
  @Matches(/^[A-Za-z0-9_-]{86}$/, { message: '$property must be base64url of 64 bytes' })
  @IsString()
  signature!: string;
}

export class NewDeviceDto {
  @PublicKeyField('Ed25519')
  @IsOkpKey('Ed25519')
  publicKey!: SigningKey;

  @PublicKeyField('X25519')
  @IsOkpKey('X25519')
  encryptionKey!: EncryptionKey;

  @DisplayName(100)
  name!: string;

  @DisplayName(64)
  platform!: string;
}

const USERNAME_PATTERN = /^[a-z0-9-]{3,32}$/;
const USERNAME_RULE = { message: '$property must be 3 to 32 of a-z, 0-9 and -' };

export class CheckUsernameDto {
  @Matches(USERNAME_PATTERN, USERNAME_RULE)
  @IsString()
  username!: string;

  @IsOptional()
  @MaxLength(100)
  @IsString()
  invitation?: string;
}

export class SignUpDto extends SignedChallengeDto {
  @Matches(USERNAME_PATTERN, USERNAME_RULE)
  @IsString()
  username!: string;

  @NestedObject(NewDeviceDto)
  device!: NewDeviceDto;

  @PublicKeyField('X25519')
  @IsOkpKey('X25519')
  contentPublicKey!: EncryptionKey;

  @IsOptional()
  @MaxLength(100)
  @IsString()
  invitation?: string;
}

export class SignInDto extends SignedChallengeDto {
  @PublicKeyField('Ed25519')
  @IsOkpKey('Ed25519')
  publicKey!: SigningKey;
}
