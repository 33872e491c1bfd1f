import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { StorageQuota } from '../accounts';
import { Clock, MINUTE } from '../../common/clock';
import { PeriodicTask } from '../../common/periodic-task';
import { ReadOnlyState } from '../../common/read-only-state';
import { UnitOfWork } from '../../core/database';
import { SessionActivityRecorder } from '../sessions';
import { PermissionRequestsRepository } from './permission-requests.repository';

const RUN_INTERVAL_MS = 10 * MINUTE;
/** Requests per run, and per transaction. */
const BATCH_SIZE = 500;

/** Deletes the content of permission requests 30 days after their decision or expiry, and releases its storage. */
@Injectable()
export class PermissionContentCleanup implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly deletionTask = new PeriodicTask('permission content deletion', RUN_INTERVAL_MS, () =>
    this.readOnlyState.isReadOnly ? undefined : this.deleteExpiredContent(),
  );

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sessionActivityRecorder: SessionActivityRecorder,
    private readonly storageQuota: StorageQuota,
    private readonly permissionRequests: PermissionRequestsRepository,
    private readonly clock: Clock,
    private readonly readOnlyState: ReadOnlyState,
  ) {}

  onApplicationBootstrap(): void {
    this.deletionTask.start();
  }

  onApplicationShutdown(): void {
    void this.deletionTask.stop();
  }

  /** Deletes one batch. Resolves to whether more may be due. Instances may run concurrently. */
  async deleteExpiredContent(): Promise<boolean> {
    const now = this.clock.currentDate();
    let deletedCount = 0;
    for (const due of await this.permissionRequests.findSessionsWithExpiredContent(now, BATCH_SIZE)) {
      deletedCount += await this.deleteContentOfSession(due.account_id, due.session_id, now);
    }
    return deletedCount >= BATCH_SIZE;
  }

  private deleteContentOfSession(accountId: string, sessionId: string, now: Date): Promise<number> {
    return this.unitOfWork.runInTransaction(async () => {
      if (!(await this.sessionActivityRecorder.lockSession(accountId, sessionId))) return 0;
      const sizes = await this.permissionRequests.deleteExpiredContent(sessionId, now, BATCH_SIZE);
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      await this.sessionActivityRecorder.recordStoredBytes(sessionId, -bytes);
      await this.storageQuota.addUsage(accountId, -bytes);
      return sizes.length;
    });
  }
}
