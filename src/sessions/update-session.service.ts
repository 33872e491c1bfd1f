import { Injectable } from '@nestjs/common';
import type { DevicePrincipal } from '../auth';
import { Clock } from '../common/clock';
import { ApiError, invalidRequest } from '../common/errors';
import { Changes } from '../events';
import { UnitOfWork } from '../persistence';
import { contentFault, metadataPlace } from '../wire';
import { HostedSessions } from './hosted-sessions';
import { toDeviceSessionRecord, toSessionRecord, type DeviceSessionRecord, type SessionRow } from './session-record';
import type { UpdateSessionDto } from './sessions.dto';
import { SessionsRepository } from './sessions.repository';

/** Ends a session, opens it again, or replaces its metadata. */
@Injectable()
export class UpdateSessionService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sessions: SessionsRepository,
    private readonly hosted: HostedSessions,
    private readonly changes: Changes,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError 404, 403 for a session that the machine does not host, 409 with `current`, 400 */
  update(device: DevicePrincipal, id: string, change: UpdateSessionDto): Promise<DeviceSessionRecord> {
    return this.unitOfWork.run(async () => {
      const row = await this.hosted.lock(device, id);
      if (change.expectedVersion !== undefined && change.expectedVersion !== row.version) {
        throw new ApiError('conflict', `The session is at version ${row.version}.`, {
          members: { current: row.version },
        });
      }
      const next = this.apply(row, change);
      if (next !== row) {
        await this.sessions.update(next);
        const type = next.state === 'ended' && row.state !== 'ended' ? 'session.ended' : 'session.updated';
        this.changes.record({
          type,
          accountId: row.account_id,
          id,
          byDeviceId: device.deviceId,
          data: toSessionRecord(next, false),
        });
      }
      return toDeviceSessionRecord(next);
    });
  }

  private apply(row: SessionRow, { state = row.state, metadata }: UpdateSessionDto): SessionRow {
    if (state === row.state && metadata === undefined) return row;
    const now = this.clock.date();
    const next: SessionRow = { ...row, state, updated_at: now };
    if (state !== row.state) next.ended_at = state === 'ended' ? now : null;
    if (metadata !== undefined) {
      next.version = row.version + 1;
      next.metadata = metadata;
      const place = metadataPlace(row.account_id, row.tag, next.version);
      const fault = contentFault(metadata, row.data_key_id, place);
      if (fault) {
        const message = `/metadata ${fault}.`;
        throw invalidRequest([{ in: 'body', path: '/metadata', code: 'invalid_jwe', message }]);
      }
    }
    return next;
  }
}
