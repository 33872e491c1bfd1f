import { ApiProperty } from '@nestjs/swagger';
import type { EncryptionKey, SigningKey } from '@external-api/protocol';
import type { DeviceKind } from '../../../access/auth';
import { IdField, PublicKeyField, UnixTimeField } from '../../../common/http';
import type { PendingPairing } from './pairings.service';

/** Pairing as returned to the device that requested it (docs/protocol/device-api.md#pairing). */
export class PairingDto {
  @IdField('pair')
  id!: string;

  /**
   * Code that a person enters on an account device.
   * @example ABCD-2345
   */
  code!: string;

  @UnixTimeField(1_788_255_600_000)
  expiresAt!: number;
}

export class PairingStatusDto {
  @ApiProperty({ type: String, enum: ['pending', 'approved', 'denied', 'expired'], example: 'approved' })
  state!: 'pending' | 'approved' | 'denied' | 'expired';

  /** Username of the account that approved the device; null unless it has. */
  @ApiProperty({ type: String, nullable: true, example: 'ada' })
  accountUsername!: string | null;
}

/** Pairing as shown to the account device that decides on it. */
export class PendingPairingDto {
  @IdField('pair')
  id!: string;

  @ApiProperty({ type: String, enum: ['account', 'machine'], example: 'machine' })
  kind!: DeviceKind;

  /** @example build-box */
  name!: string;

  /** @example linux */
  platform!: string;

  /**
   * Network address that requested the pairing.
   * @example 203.0.113.7
   */
  address!: string;

  @PublicKeyField('Ed25519')
  publicKey!: SigningKey;

  @PublicKeyField('X25519')
  encryptionKey!: EncryptionKey;

  /** @example 7K3M-9QX2-ABCD-0123 */
  fingerprint!: string;

  @UnixTimeField()
  createdAt!: number;

  @UnixTimeField(1_788_255_600_000)
  expiresAt!: number;
}

export function toPendingPairingDto(pairing: PendingPairing): PendingPairingDto {
  return {
    id: pairing.id,
    kind: pairing.kind,
    name: pairing.name,
    platform: pairing.platform,
    address: pairing.address,
    publicKey: pairing.publicKey,
    encryptionKey: pairing.encryptionKey,
    fingerprint: pairing.fingerprint,
    createdAt: pairing.createdAt.getTime(),
    expiresAt: pairing.expiresAt.getTime(),
  };
}
