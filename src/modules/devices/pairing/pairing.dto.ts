import { IsIn, IsString, MaxLength } from 'class-validator';
import type { EncryptionKey, SigningKey } from '@external-api/protocol';
import type { DeviceKind } from '../../../access/auth';
import { DisplayName, PublicKeyField } from '../../../common/http';
import { SignedChallengeDto } from '../identity/identity.dto';
import { IsOkpKey } from '../identity/okp-key';

export class CreatePairingDto extends SignedChallengeDto {
  @PublicKeyField('Ed25519')
  @IsOkpKey('Ed25519')
  publicKey!: SigningKey;

  @PublicKeyField('X25519')
  @IsOkpKey('X25519')
  encryptionKey!: EncryptionKey;

  @IsIn(['account', 'machine'])
  kind!: DeviceKind;

  @DisplayName(100)
  name!: string;

  @DisplayName(64)
  platform!: string;
}

export class ApprovePairingDto {
  /** Compact JWS signed by the approving device. */
  @MaxLength(16_384)
  @IsString()
  enrollment!: string;
}
