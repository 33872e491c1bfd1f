import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AccountsService } from '../../accounts';
import { Clock, DAY } from '../../common/clock';
import { DevicesService, DeviceTokens } from '../../devices';
import type { DeviceConnection } from '../bus/device-connection';
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
      const ended = await this.endedWithin(Math.min(sinceMs, DAY), connections);
      for (const connection of ended) connection.close();
    }
    this.answeredAt = askedAt;
  }

  private async endedWithin(ms: number, connections: DeviceConnection[]): Promise<DeviceConnection[]> {
    const ended = new Set([...(await this.devices.revokedWithin(ms)), ...(await this.accounts.suspendedWithin(ms))]);
    const signedOut = await this.signedOutWithin(ms, connections);
    return connections.filter(
      (connection) =>
        ended.has(connection.device.deviceId) || ended.has(connection.device.accountId) || signedOut.has(connection),
    );
  }

  /** Whether a token is older than its person's sign-out is for its row to say: two instances' times do not. */
  private async signedOutWithin(ms: number, connections: DeviceConnection[]): Promise<Set<DeviceConnection>> {
    const accounts = await this.tokens.signedOutWithin(ms);
    const asked = connections.filter(({ device }) => device.deviceKind === 'account' && accounts.has(device.accountId));
    if (asked.length === 0) return new Set();
    const standing = await this.tokens.standing(asked.map(({ device }) => device.tokenHash));
    return new Set(asked.filter(({ device }) => !standing.has(device.tokenHash.toString('hex'))));
  }
}
