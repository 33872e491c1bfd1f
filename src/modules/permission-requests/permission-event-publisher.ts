import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { EventPublisher } from '../../core/events';
import type { SessionRow } from '../sessions';
import { toPermissionRequestDto, type PermissionRequestMetadataRow } from './permission-request.response.dto';

/** Publishes permission requests when they are created and when they are no longer pending. */
@Injectable()
export class PermissionEventPublisher {
  constructor(
    private readonly eventPublisher: EventPublisher,
    private readonly clock: Clock,
  ) {}

  /**
   * Requires the transaction of the change.
   * @param byDeviceId device that made the change, which is not notified; null for a token
   */
  publishChange(row: PermissionRequestMetadataRow, session: SessionRow, byDeviceId: string | null): void {
    this.eventPublisher.recordChange({
      type: row.state === 'pending' ? 'permission.requested' : 'permission.decided',
      accountId: row.account_id,
      id: row.session_id,
      byDeviceId,
      hostDeviceId: session.host_device_id,
      data: toPermissionRequestDto(row, this.clock.currentDate()),
    });
  }
}
