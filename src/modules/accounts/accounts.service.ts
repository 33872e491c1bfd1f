import { Injectable } from '@nestjs/common';
import type { EncryptionKey } from '@external-api/protocol';
import { AuditRecorder } from '../../access/audit';
import { invalidToken } from '../../access/auth';
import { Clock } from '../../common/clock';
import { ApiError, forbiddenError } from '../../common/errors';
import { generateId } from '../../common/ids';
import { UnitOfWork } from '../../core/database';
import { Config } from '../../core/config';
import type { AccountEntity } from './account.entity';
import { AccountsRepository } from './accounts.repository';
import { InvitationsService } from './invitations.service';
import type { PlanLimitsDto } from './plan.dto';
import { getPlan } from './plan';

export type Account = Readonly<AccountEntity>;

@Injectable()
export class AccountsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: AccountsRepository,
    private readonly invitationsService: InvitationsService,
    private readonly auditRecorder: AuditRecorder,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates an account within the caller's transaction.
   * @throws ApiError 409 when the username is taken, 403 when sign-up is closed and the invitation is not valid
   */
  async createAccount(username: string, contentPublicKey: EncryptionKey, invitation?: string): Promise<Account> {
    await this.requireInvitation(invitation);
    const account = {
      id: generateId('acc'),
      username,
      contentPublicKey,
      contentKeyVersion: 1,
      storageBytes: '0',
      suspendedAt: null,
      deletedAt: null,
      signedOutAt: null,
      limits: {},
      createdAt: this.clock.currentDate(),
    };
    if (!(await this.accounts.insert(account))) {
      throw new ApiError('conflict', `The username "${username}" is taken.`);
    }
    if (this.isClosed && !(await this.invitationsService.redeemCode(invitation!, account.id))) {
      throw invalidInvitation();
    }
    return account;
  }

  /** @throws ApiError 403 when sign-up is closed and the invitation is not valid */
  async isUsernameAvailable(username: string, invitation?: string): Promise<boolean> {
    await this.requireInvitation(invitation);
    return !(await this.accounts.isUsernameTaken(username));
  }

  async findAccount(id: string): Promise<Account | null> {
    return this.accounts.find(id);
  }

  /** @throws ApiError 401 when the account was deleted after the caller's credential was looked up */
  async getAccount(id: string): Promise<Account> {
    const account = await this.accounts.find(id);
    if (!account) throw invalidToken('unknown');
    return account;
  }

  /**
   * Records that the account is exported, and returns it.
   * @throws ApiError 401 when the account was deleted
   */
  openExport(id: string): Promise<Account> {
    return this.unitOfWork.runInTransaction(async () => {
      await this.accounts.lockExisting([id]);
      const account = await this.getAccount(id);
      await this.auditRecorder.recordActs({ act: 'account.exported', accountId: id, targetId: id });
      return account;
    });
  }

  /** Returns the plan's limits with the account's overrides applied. */
  async getPlanLimits(id: string): Promise<PlanLimitsDto> {
    return getPlan(this.config, (await this.getAccount(id)).limits).limits;
  }

  /** Makes all instances look whether tokens of the account's open sockets still exist. */
  recordSignOut(id: string, signedOutAt: Date): Promise<void> {
    return this.accounts.recordSignOut(id, signedOutAt);
  }

  /** Returns the accounts that exist and locks them against deletion until the transaction ends. */
  lockExistingAccounts(ids: string[]): Promise<Set<string>> {
    return this.accounts.lockExisting([...new Set(ids)]);
  }

  /**
   * Serializes counts of the account's resources until the transaction ends.
   * @throws ApiError 401 when the account was deleted after the caller's credential was looked up
   */
  async lockAccount(id: string): Promise<void> {
    if (!(await this.accounts.lockAccount(id))) throw invalidToken('unknown');
  }

  private get isClosed(): boolean {
    return this.config.signup === 'closed';
  }

  /** Comes before every look at usernames, so that callers without an invitation cannot find out which exist. */
  private async requireInvitation(invitation: string | undefined): Promise<void> {
    if (this.isClosed && !(await this.invitationsService.isValidCode(invitation))) throw invalidInvitation();
  }
}

function invalidInvitation(): ApiError {
  return forbiddenError('Sign-up requires an invitation. This one is missing, used or expired.');
}
