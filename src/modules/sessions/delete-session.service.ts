import { Injectable } from '@nestjs/common';
import { StorageQuota } from '../accounts';
import type { DevicePrincipal } from '../../access/auth';
import { EventPublisher } from '../../core/events';
import { UnitOfWork } from '../../core/database';
import { SessionAuthorizer } from './session-authorizer';
import { SessionEndNotifier } from './session-end-notifier';
import { toSessionDto } from './session.response.dto';
import { SessionsRepository } from './sessions.repository';

/** Deletes a session with its messages. Its artifacts are not deleted. */
@Injectable()
export class DeleteSessionService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sessionAuthorizer: SessionAuthorizer,
    private readonly sessions: SessionsRepository,
    private readonly sessionEndNotifier: SessionEndNotifier,
    private readonly storageQuota: StorageQuota,
    private readonly eventPublisher: EventPublisher,
  ) {}

  /** @throws ApiError 404, 403 for a session of another host */
  deleteSession(device: DevicePrincipal, id: string): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      const row = await this.sessionAuthorizer.lockSession(device, id);
      await this.sessionEndNotifier.notifySessionEnd({ session: row, isDeleted: true, byDeviceId: device.deviceId });
      await this.sessions.delete(id);
      await this.storageQuota.addUsage(row.account_id, -Number(row.message_bytes));
      this.eventPublisher.recordChange({
        type: 'session.deleted',
        accountId: row.account_id,
        id,
        byDeviceId: device.deviceId,
        hostDeviceId: row.host_device_id,
        data: toSessionDto(row, false),
      });
    });
  }
}
