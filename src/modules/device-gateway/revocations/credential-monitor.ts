import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, DAY } from '../../../common/clock';
import { PeriodicTask } from '../../../common/periodic-task';
import { DeviceTokenService } from '../../devices';
import { type DeviceConnection, RelayBus } from '../../relay-bus';
import { SharedRevocationsService } from './shared-revocations.service';

const CHECK_INTERVAL_MS = 500;
/** Longer than a handshake, and longer than the difference of two clocks. */
const CHECK_OVERLAP_MS = 10_000;

/**
 * Closes the sockets of revoked devices, expired or signed-out tokens and suspended accounts. It polls the database,
 * together with the other instances, instead of subscribing to messages, because messages can be lost
 * (docs/protocol/external-api.md#credentials).
 */
@Injectable()
export class CredentialMonitor implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly checkTask = new PeriodicTask('credential check', CHECK_INTERVAL_MS, () =>
    this.closeRevokedConnections(),
  );

  private lastCheckedAt: number;

  constructor(
    private readonly revocations: SharedRevocationsService,
    private readonly tokens: DeviceTokenService,
    private readonly bus: RelayBus,
    private readonly clock: Clock,
  ) {
    this.lastCheckedAt = clock.now();
  }

  onApplicationBootstrap(): void {
    this.checkTask.start();
  }

  onApplicationShutdown(): void {
    void this.checkTask.stop();
  }

  private async closeRevokedConnections(): Promise<void> {
    const connections = [...this.bus.listConnections()];
    const checkedAt = this.clock.now();
    for (const connection of connections) {
      if (connection.device.tokenExpiresAt <= checkedAt) connection.closeSocket();
    }
    // The window covers revocations while the database was unavailable or this process was stalled.
    const sinceMs = Math.max(checkedAt - this.lastCheckedAt, 0) + CHECK_OVERLAP_MS;
    if (connections.length > 0) {
      const revokedConnections = await this.findRevokedConnections(Math.min(sinceMs, DAY), connections);
      for (const connection of revokedConnections) connection.closeSocket();
    }
    this.lastCheckedAt = checkedAt;
  }

  private async findRevokedConnections(windowMs: number, connections: DeviceConnection[]): Promise<DeviceConnection[]> {
    const { deviceIds, suspendedAccountIds, signedOutAccountIds } = await this.revocations.findRevocations(windowMs);
    const revokedIds = new Set([...deviceIds, ...suspendedAccountIds]);
    const signedOutConnections = await this.findSignedOutConnections(new Set(signedOutAccountIds), connections);
    return connections.filter(
      (connection) =>
        revokedIds.has(connection.device.deviceId) ||
        revokedIds.has(connection.device.accountId) ||
        signedOutConnections.has(connection),
    );
  }

  /** Reads the token rows to see which tokens the sign-out ended: comparing times of two instances is unreliable. */
  private async findSignedOutConnections(
    accountIds: ReadonlySet<string>,
    connections: DeviceConnection[],
  ): Promise<Set<DeviceConnection>> {
    const candidates = connections.filter(({ device }) => accountIds.has(device.accountId));
    if (candidates.length === 0) return new Set();
    const activeTokens = await this.tokens.findActiveHashes(candidates.map(({ device }) => device.tokenHash));
    return new Set(candidates.filter(({ device }) => !activeTokens.has(device.tokenHash.toString('hex'))));
  }
}
