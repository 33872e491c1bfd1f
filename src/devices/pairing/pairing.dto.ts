import { IsIn, IsString, MaxLength } from 'class-validator';
import type { DeviceKind } from '../../auth';
import { Label } from '../../common/http';
import type { EncryptionKey, SigningKey } from '../../wire';
import { SignedChallengeDto } from '../identity/identity.dto';
import { IsOkpKey } from '../identity/okp-key';

export class PairDto extends SignedChallengeDto {
  @IsOkpKey('Ed25519')
  publicKey!: SigningKey;

  @IsOkpKey('X25519')
  encryptionKey!: EncryptionKey;

  @IsIn(['account', 'machine'])
  kind!: DeviceKind;

  @Label(100)
  name!: string;

  @Label(64)
  platform!: string;
}

export class ApproveDto {
  /** Compact JWS signed by the approving device */
  @MaxLength(16_384)
  @IsString()
  enrollment!: string;
}
