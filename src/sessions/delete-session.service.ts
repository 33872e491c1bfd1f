import { Injectable } from '@nestjs/common';
import { Storage } from '../accounts';
import type { DevicePrincipal } from '../auth';
import { Changes } from '../events';
import { UnitOfWork } from '../persistence';
import { HostedSessions } from './hosted-sessions';
import { toSessionRecord } from './session-record';
import { SessionsRepository } from './sessions.repository';

/** Ends a session for good, its messages with it; its artifacts stay. */
@Injectable()
export class DeleteSessionService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly hosted: HostedSessions,
    private readonly sessions: SessionsRepository,
    private readonly storage: Storage,
    private readonly changes: Changes,
  ) {}

  /** @throws ApiError 404, 403 for a session that the machine does not host */
  delete(device: DevicePrincipal, id: string): Promise<void> {
    return this.unitOfWork.run(async () => {
      const row = await this.hosted.lock(device, id);
      await this.sessions.delete(id);
      await this.storage.add(row.account_id, -Number(row.message_bytes));
      this.changes.record({
        type: 'session.deleted',
        accountId: row.account_id,
        id,
        byDeviceId: device.deviceId,
        data: toSessionRecord(row, false),
      });
    });
  }
}
