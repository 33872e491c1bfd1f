import { Type } from 'class-transformer';
import { IsDefined, IsObject, IsOptional, IsString, Matches, MaxLength, ValidateNested } from 'class-validator';
import { Label } from '../../common/http';
import type { EncryptionKey, SigningKey } from '../../wire';
import { IsOkpKey } from './okp-key';

export class ChallengeDto {
  @IsOkpKey('Ed25519')
  publicKey!: SigningKey;

  @IsOptional()
  @IsOkpKey('X25519')
  encryptionKey?: EncryptionKey;
}

/** A challenge and what the device made of it. */
export class SignedChallengeDto {
  @MaxLength(200)
  @IsString()
  challenge!: string;

  /** base64url of the Ed25519 signature over the challenge's message */
  @Matches(/^[A-Za-z0-9_-]{86}$/, { message: '$property must be base64url of 64 bytes' })
  @IsString()
  signature!: string;
}

export class NewDeviceDto {
  @IsOkpKey('Ed25519')
  publicKey!: SigningKey;

  @IsOkpKey('X25519')
  encryptionKey!: EncryptionKey;

  @Label(100)
  name!: string;

  @Label(64)
  platform!: string;
}

export class SignUpDto extends SignedChallengeDto {
  @Matches(/^[a-z0-9-]{3,32}$/, { message: '$property must be 3 to 32 of a-z, 0-9 and -' })
  @IsString()
  username!: string;

  @ValidateNested()
  @Type(() => NewDeviceDto)
  @IsObject()
  @IsDefined()
  device!: NewDeviceDto;

  @IsOkpKey('X25519')
  contentPublicKey!: EncryptionKey;

  @IsOptional()
  @MaxLength(100)
  @IsString()
  invitation?: string;
}

export class SignInDto extends SignedChallengeDto {
  @IsOkpKey('Ed25519')
  publicKey!: SigningKey;
}
