import { Injectable } from '@nestjs/common';
import { findContentFormatViolation, buildMetadataBinding } from '@external-api/protocol';
import { countRowBytes, StorageQuota } from '../accounts';
import type { DevicePrincipal } from '../../access/auth';
import { Clock } from '../../common/clock';
import { ApiError, invalidBodyError } from '../../common/errors';
import { EventPublisher } from '../../core/events';
import { UnitOfWork } from '../../core/database';
import { SessionAuthorizer } from './session-authorizer';
import { SessionEndNotifier } from './session-end-notifier';
import { toDeviceSessionDto, toSessionDto, type DeviceSessionDto, type SessionRow } from './session.response.dto';
import { toSessionAgent, type UpdateSessionDto } from './sessions.dto';
import { SessionsRepository } from './sessions.repository';

/** Ends or reopens a session, or replaces its metadata or agent. */
@Injectable()
export class UpdateSessionService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sessions: SessionsRepository,
    private readonly sessionAuthorizer: SessionAuthorizer,
    private readonly sessionEndNotifier: SessionEndNotifier,
    private readonly storageQuota: StorageQuota,
    private readonly eventPublisher: EventPublisher,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError 404, 403 for a session of another host, 409 with `current`, 400, 403 `plan_limit_exceeded` */
  updateSession(device: DevicePrincipal, id: string, change: UpdateSessionDto): Promise<DeviceSessionDto> {
    return this.unitOfWork.runInTransaction(async () => {
      const row = await this.sessionAuthorizer.lockSession(device, id);
      if (change.expectedVersion !== undefined && change.expectedVersion !== row.version) {
        throw new ApiError('conflict', `The session is at version ${row.version}.`, {
          members: { current: row.version },
        });
      }
      const next = this.applyChange(row, change);
      if (next !== row) {
        const bytes = next.own_bytes - row.own_bytes;
        const isEnd = next.state === 'ended' && row.state !== 'ended';
        if (!isEnd || bytes > 0) await this.storageQuota.requireCapacity(row.account_id, bytes);
        await this.sessions.update(next);
        await this.storageQuota.addUsage(row.account_id, bytes);
        if (isEnd) await this.notifyEnd(next, device.deviceId);
        this.eventPublisher.recordChange({
          type: isEnd ? 'session.ended' : 'session.updated',
          accountId: row.account_id,
          id,
          byDeviceId: device.deviceId,
          hostDeviceId: row.host_device_id,
          data: toSessionDto(next, false),
        });
      }
      return toDeviceSessionDto(next);
    });
  }

  private notifyEnd(session: SessionRow, byDeviceId: string): Promise<void> {
    return this.sessionEndNotifier.notifySessionEnd({ session, isDeleted: false, byDeviceId });
  }

  private applyChange(row: SessionRow, { state = row.state, metadata, agent }: UpdateSessionDto): SessionRow {
    if (state === row.state && metadata === undefined && agent === undefined) return row;
    const now = this.clock.currentDate();
    const next: SessionRow = { ...row, state, updated_at: now };
    if (state !== row.state) next.ended_at = state === 'ended' ? now : null;
    if (agent !== undefined) next.agent = toSessionAgent(agent);
    if (metadata !== undefined) {
      next.version = row.version + 1;
      next.metadata = metadata;
      next.own_bytes = countRowBytes(row.tag, row.sealed_data_key, metadata);
      const place = buildMetadataBinding(row.account_id, row.tag, next.version);
      const violation = findContentFormatViolation(metadata, row.data_key_id, place);
      if (violation) throw invalidBodyError('/metadata', 'invalid_jwe', violation);
    }
    return next;
  }
}
