import { setTimeout as sleep } from 'node:timers/promises';
import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { TokenCache } from '../../../access/auth';
import { Clock, SECOND } from '../../../common/clock';
import { PeriodicTask } from '../../../common/periodic-task';
import { ReadOnlyState } from '../../../common/read-only-state';
import { UnitOfWork } from '../../../core/database';
import { AccountCleanup } from './account-cleanup';
import { AccountDeletionRepository } from './account-deletion.repository';
import { AccountRevocationRegistry } from './account-revocation-registry';

/** How soon an instance continues the work of one that was killed. */
const RUN_INTERVAL_MS = 10 * SECOND;
const MAX_ACCOUNTS_PER_RUN = 100;
const RETRY_MS = 200;

/**
 * Deletes accounts: their credentials, username and device keys at once, and their records in the background
 * (docs/decisions/0048).
 */
@Injectable()
export class AccountDeletionService implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('AccountDeletion');
  private isStopped = false;
  private readonly cleanupTask = new PeriodicTask('account cleanup', RUN_INTERVAL_MS, () =>
    this.readOnlyState.isReadOnly ? undefined : this.cleanUpAccounts(),
  );

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly deletions: AccountDeletionRepository,
    private readonly revocations: AccountRevocationRegistry,
    private readonly cleanup: AccountCleanup,
    private readonly tokenCache: TokenCache,
    private readonly clock: Clock,
    private readonly readOnlyState: ReadOnlyState,
  ) {}

  onModuleInit(): void {
    this.revocations.registerRevocationStep((accountId) => this.deletions.freeUsername(accountId));
  }

  onApplicationBootstrap(): void {
    this.cleanupTask.start();
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    await this.cleanupTask.stop();
  }

  /**
   * Deletes the account. All instances reject its credentials and close its sockets within a second. Its records are
   * deleted later. Don't call it inside a transaction: its steps must not hold each other's locks.
   */
  async deleteAccount(id: string): Promise<void> {
    await this.markDeleted(id);
    // The cleanup repeats this, so that the account is deleted even if it fails here.
    await this.revocations.runRevocationSteps(id).catch((error: Error) => {
      this.logger.warn({ accountId: id, reason: error.message }, 'account revocation failed');
    });
    this.tokenCache.invalidateAccount(id);
    this.cleanupTask.trigger();
  }

  /** Deletes the account, and resolves when none of its records are left. Instances may delete some of them. */
  async deleteAccountWithRecords(id: string): Promise<void> {
    await this.markDeleted(id);
    while (await this.deletions.isDeletionPending(id)) {
      if (!(await this.cleanup.deleteRecords(id))) await sleep(RETRY_MS);
    }
  }

  /**
   * Deletes the records of deleted accounts.
   * @throws Error of the first account that failed, after all others
   */
  private async cleanUpAccounts(): Promise<boolean> {
    const accountIds = await this.deletions.findDeletedAccounts(MAX_ACCOUNTS_PER_RUN);
    const errors: unknown[] = [];
    let deletedCount = 0;
    for (const accountId of accountIds) {
      if (this.isStopped) return false;
      try {
        if (await this.cleanup.deleteRecords(accountId, () => this.isStopped)) deletedCount++;
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
    return deletedCount === MAX_ACCOUNTS_PER_RUN;
  }

  private markDeleted(id: string): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      if (!(await this.deletions.markDeleted(id))) return;
      await this.revocations.runMarkingSteps(id, this.clock.currentDate());
      this.unitOfWork.afterCommit(() => this.tokenCache.invalidateAccount(id));
    });
  }
}
