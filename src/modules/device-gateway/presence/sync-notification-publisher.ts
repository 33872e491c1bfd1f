import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { SyncNotificationMessage } from '@external-api/protocol';
import { EventPublisher, type AccountSyncNotification } from '../../../core/events';
import { RelayBus, type SyncNotificationAudience } from '../../relay-bus';
import { PresenceNotificationGatherer } from './presence-notification-gatherer';

/** Notifies an account's other devices of committed changes (docs/protocol/device-api.md#sync-notifications). */
@Injectable()
export class SyncNotificationPublisher implements OnApplicationBootstrap {
  private readonly logger = new Logger('SyncNotificationPublisher');
  private readonly presenceNotificationGatherer = new PresenceNotificationGatherer((...notification) =>
    this.publishMessage(...notification),
  );

  constructor(
    private readonly eventPublisher: EventPublisher,
    private readonly bus: RelayBus,
  ) {}

  onApplicationBootstrap(): void {
    this.eventPublisher.committedNotifications.subscribe((notification) => {
      const { type } = notification;
      const isPresence = type === 'machine.online' || type === 'machine.offline';
      if (isPresence) this.presenceNotificationGatherer.addChange(notification);
      else this.publishNotification(notification);
    });
  }

  /** Publishes changes of presence that still wait for others, before the process exits. */
  publishGathered(): void {
    this.presenceNotificationGatherer.publishGathered();
  }

  private publishNotification({ type, id, seq, accountId, byDeviceId, hostDeviceId }: AccountSyncNotification): void {
    const message = { type, id, ...(seq !== undefined && { seq }) };
    this.publishMessage(accountId, message, { exceptDeviceId: byDeviceId, hostDeviceId });
  }

  private publishMessage(
    accountId: string,
    message: SyncNotificationMessage,
    audience: SyncNotificationAudience,
  ): void {
    this.bus.publishSyncNotification(accountId, message, audience).catch((error: Error) => {
      this.logger.warn({ reason: error.message }, 'sync notification failed');
    });
  }
}
