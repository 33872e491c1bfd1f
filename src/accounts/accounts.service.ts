import { Injectable } from '@nestjs/common';
import { invalidToken } from '../auth';
import { Clock } from '../common/clock';
import { ApiError, forbidden } from '../common/errors';
import { newId } from '../common/ids';
import { Config } from '../config';
import type { EncryptionKey } from '../wire';
import type { AccountEntity } from './account.entity';
import { AccountsRepository } from './accounts.repository';
import { Invitations } from './invitations';
import type { PlanLimitsRecord } from './plan-record';
import { planOf } from './plan';

export type Account = Readonly<AccountEntity>;

@Injectable()
export class AccountsService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly invitations: Invitations,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * Part of a sign-up's transaction.
   * @throws ApiError 409 for a username that is taken, 403 where sign-up is closed and the invitation no good
   */
  async create(username: string, contentPublicKey: EncryptionKey, invitation?: string): Promise<Account> {
    const closed = this.config.signup === 'closed';
    // Before anything else, so that the uninvited learn nothing of the usernames.
    if (closed && !(await this.invitations.isGood(invitation))) throw noInvitation();
    const account = {
      id: newId('acc'),
      username,
      contentPublicKey,
      contentKeyVersion: 1,
      storageBytes: '0',
      suspendedAt: null,
      signedOutAt: null,
      limits: {},
      createdAt: this.clock.date(),
    };
    if (!(await this.accounts.insert(account))) {
      throw new ApiError('conflict', `The username "${username}" is taken.`);
    }
    if (closed && !(await this.invitations.redeem(invitation!, account.id))) throw noInvitation();
    return account;
  }

  async find(id: string): Promise<Account | null> {
    return this.accounts.find(id);
  }

  /** @throws ApiError 401 when it was deleted after the caller's credential was looked up */
  async get(id: string): Promise<Account> {
    const account = await this.accounts.find(id);
    if (!account) throw invalidToken('unknown');
    return account;
  }

  /** Its plan's and its own, as they stand. */
  async limitsOf(id: string): Promise<PlanLimitsRecord> {
    return planOf(this.config, (await this.get(id)).limits).limits;
  }

  /** Ids of accounts that were suspended in the last `ms` and still are. */
  suspendedWithin(ms: number): Promise<string[]> {
    return this.accounts.suspendedWithin(ms);
  }

  /** With everything that belongs to it, in the caller's transaction. */
  delete(id: string): Promise<void> {
    return this.accounts.delete(id);
  }

  /** For what is written behind the calls: which accounts still stand, and go on standing in this transaction. */
  holdStanding(ids: string[]): Promise<Set<string>> {
    return this.accounts.holdStanding([...new Set(ids)]);
  }

  /** Serialises the account's counted resources until the transaction ends. */
  lock(id: string): Promise<void> {
    return this.accounts.lock(id);
  }
}

function noInvitation(): ApiError {
  return forbidden('Sign-up is by invitation here, and this one is missing, used or expired.');
}
