import type { EncryptionKey } from '@external-api/protocol';
import { CountField, IdField, ObjectTypeField, PublicKeyField, UnixTimeField } from '../../common/http';
import type { Config } from '../../core/config';
import type { Account } from './accounts.service';
import { getPlan } from './plan';
import { PlanDto } from './plan.dto';

/** Account as returned to its devices (docs/protocol/device-api.md#account). */
export class AccountDto {
  @IdField('acc')
  id!: string;

  @ObjectTypeField('account')
  object!: 'account';

  /** @example ada */
  username!: string;

  @PublicKeyField('X25519')
  contentPublicKey!: EncryptionKey;

  /** Version of the content key, from 1. */
  @CountField(1, 1)
  contentKeyVersion!: number;

  plan!: PlanDto;

  @UnixTimeField()
  createdAt!: number;
}

export function toAccountDto(account: Account, config: Config): AccountDto {
  return {
    id: account.id,
    object: 'account',
    username: account.username,
    contentPublicKey: account.contentPublicKey,
    contentKeyVersion: account.contentKeyVersion,
    plan: getPlan(config, account.limits),
    createdAt: account.createdAt.getTime(),
  };
}
