import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AccountsService } from '../../accounts';
import type { DevicePrincipal } from '../../auth';
import { Clock, DAY } from '../../common/clock';
import { DevicesService, DeviceTokens } from '../../devices';
import { RelayBus } from '../bus/relay-bus';

const POLL_MS = 500;
/** Longer than a handshake and than two clocks may differ. */
const LOOK_BACK_MS = 10_000;

/**
 * Closes the sockets of devices that were revoked or whose token has ended, and of accounts that were suspended. It asks
 * the database instead of waiting to be told, because a message can be lost (external-api.md §2).
 */
@Injectable()
export class CredentialWatch implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('CredentialWatch');
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private answeredAt: number;

  constructor(
    private readonly accounts: AccountsService,
    private readonly devices: DevicesService,
    private readonly tokens: DeviceTokens,
    private readonly bus: RelayBus,
    private readonly clock: Clock,
  ) {
    this.answeredAt = clock.now();
  }

  onApplicationBootstrap(): void {
    this.schedule();
  }

  onApplicationShutdown(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private schedule(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.closeEnded()
        .catch((error: Error) => this.logger.warn({ reason: error.message }, 'revocations are unknown'))
        .finally(() => this.schedule());
    }, POLL_MS).unref();
  }

  private async closeEnded(): Promise<void> {
    const connections = [...this.bus.connections()];
    const askedAt = this.clock.now();
    for (const connection of connections) {
      if (connection.device.tokenExpiresAt <= askedAt) connection.close();
    }
    // What was revoked while the database was away, or this process stood still, counts too.
    const sinceMs = Math.max(askedAt - this.answeredAt, 0) + LOOK_BACK_MS;
    if (connections.length > 0) {
      const isEnded = await this.endedWithin(Math.min(sinceMs, DAY));
      for (const connection of connections) if (isEnded(connection.device)) connection.close();
    }
    this.answeredAt = askedAt;
  }

  private async endedWithin(ms: number): Promise<(device: DevicePrincipal) => boolean> {
    const ended = new Set([
      ...(await this.devices.revokedWithin(ms)),
      ...(await this.accounts.suspendedWithin(ms)),
    ]);
    const signedOut = await this.tokens.endedWithin(ms);
    return ({ deviceId, accountId, deviceKind, tokenExpiresAt }) =>
      ended.has(deviceId) ||
      ended.has(accountId) ||
      (deviceKind === 'account' && tokenExpiresAt <= (signedOut.get(accountId) ?? 0));
  }
}
