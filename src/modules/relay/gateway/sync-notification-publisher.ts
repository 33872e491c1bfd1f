import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { EventPublisher, type AccountSyncNotification } from '../../../core/events';
import { RelayBus } from '../bus/relay-bus';

/** Notifies an account's other devices of committed changes (docs/protocol/device-api.md#sync-notifications). */
@Injectable()
export class SyncNotificationPublisher implements OnApplicationBootstrap {
  private readonly logger = new Logger('SyncNotificationPublisher');

  constructor(
    private readonly eventPublisher: EventPublisher,
    private readonly bus: RelayBus,
  ) {}

  onApplicationBootstrap(): void {
    this.eventPublisher.committedNotifications.subscribe((notification) => {
      this.publishNotification(notification).catch((error: Error) => {
        this.logger.warn({ reason: error.message }, 'sync notification failed');
      });
    });
  }

  private publishNotification({
    type,
    id,
    seq,
    accountId,
    byDeviceId,
    hostDeviceId,
  }: AccountSyncNotification): Promise<void> {
    const message = { type, id, ...(seq !== undefined && { seq }) };
    return this.bus.publishSyncNotification(accountId, message, { exceptDeviceId: byDeviceId, hostDeviceId });
  }
}
