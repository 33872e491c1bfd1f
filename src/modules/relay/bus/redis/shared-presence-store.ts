import type { SyncNotificationMessage } from '../../../../protocol';
import type { DeviceConnection } from '../device-connection';
import { LIVE_CAPABILITIES, type WatchLease } from '../live-output';
import type { SyncNotificationAudience } from '../relay-bus';
import type { RelayCall } from '../relay-call';
import type { RequestHead } from './envelope';
import { buildPresenceKey, type PresenceEntry } from './redis-keys';
import type { RedisClock } from './redis-clock';
import type { RedisConnection } from './redis-connection';
import type { PickReply, RouteReply } from './scripts';

/** Silence after which an origin gives up on an owner, and time in which an owner may start a call, in ms. */
export const OWNER_TIMEOUT_MS = 2_000;

/**
 * Presence of all devices in Redis, shared by all instances, and routing by it
 * (docs/protocol/relay.md#routing-between-instances).
 */
export class SharedPresenceStore {
  constructor(
    private readonly redisConnection: RedisConnection,
    private readonly clock: RedisClock,
  ) {}

  private get instanceId(): string {
    return this.redisConnection.codec.instanceId;
  }

  /** Returns false if the device has a newer connection, whose entry then stays. */
  async publishEntry(connection: DeviceConnection): Promise<boolean> {
    const { accountId, deviceId, deviceKind } = connection.device;
    const { epoch, machineId, capabilities } = connection;
    const entry: PresenceEntry = {
      instance: this.instanceId,
      epoch,
      kind: deviceKind,
      machineId,
      capabilities,
      signed: true,
    };
    const supersededMessage = this.redisConnection.codec.encode(
      { type: 'superseded', accountId, deviceId, epoch },
      null,
    );
    const reply = await this.redisConnection.executeCommand(() =>
      this.redisConnection.commands.relayPublishPresence(
        buildPresenceKey(accountId),
        deviceId,
        epoch,
        JSON.stringify(entry),
        this.instanceId,
        supersededMessage,
      ),
    );
    return reply === 1;
  }

  /** Removes the entry only if it is of this instance and this epoch. */
  async removeEntry(accountId: string, deviceId: string, epoch: number): Promise<void> {
    await this.redisConnection.executeCommand(() =>
      this.redisConnection.commands.relayRemovePresence(buildPresenceKey(accountId), deviceId, epoch, this.instanceId),
    );
  }

  /** Removes an entry of a dead instance. Does nothing if that instance has a lease. */
  async removeDeadEntry(accountId: string, deviceId: string, epoch: number, deadInstanceId: string): Promise<void> {
    await this.redisConnection.executeCommand(() =>
      this.redisConnection.commands.relayRemoveDeadPresence(
        buildPresenceKey(accountId),
        deviceId,
        epoch,
        deadInstanceId,
      ),
    );
  }

  /**
   * Sends the call to its device. A call is signed for exactly one device: if there are several candidates, Redis picks
   * one first. Otherwise anyone who can publish could have a call that is signed for several devices run on each of
   * them.
   */
  async routeCall(call: RelayCall, attempt: number): Promise<RouteReply> {
    const [firstCandidate, ...otherCandidates] = call.candidates;
    if (firstCandidate && 'deviceId' in firstCandidate && otherCandidates.length === 0)
      return this.routeCallToDevice(firstCandidate.deviceId, call, attempt);
    const picked = await this.pickDevice(call);
    if (picked[0] !== 'picked') return picked;
    const routed = await this.routeCallToDevice(picked[2], call, attempt);
    routed[1] += picked[1];
    return routed;
  }

  /** Returns `unreachable` if Redis does not answer, since nothing was sent. */
  private async pickDevice({ accountId, candidates, capability }: RelayCall): Promise<PickReply> {
    const { codec, commands } = this.redisConnection;
    const args = [JSON.stringify(candidates), capability, codec.requiresSignature ? 1 : 0] as const;
    return this.redisConnection
      .executeCommand(() => commands.relayPickDevice(buildPresenceKey(accountId), ...args))
      .catch(() => ['unreachable', 0]);
  }

  private routeCallToDevice(deviceId: string, call: RelayCall, attempt: number): Promise<RouteReply> {
    const { accountId, request, capability, audit } = call;
    const { codec, commands } = this.redisConnection;
    const acceptBy = this.clock.now() + OWNER_TIMEOUT_MS;
    const head: Omit<RequestHead, 'epoch'> = {
      type: 'request',
      deviceId,
      acceptBy,
      answerBy: this.clock.now() + Math.max(0, call.answerTimeoutMs),
      attempt,
      callId: request.requestId,
      origin: this.instanceId,
      accountId,
      method: request.method,
      ...(request.traceparent && { traceparent: request.traceparent }),
      audit,
    };
    // The script adds the epoch of the presence entry.
    const signed = codec.encode(head as RequestHead, null, JSON.stringify(request)).slice(1);
    const signedOnly = codec.requiresSignature ? 1 : 0;
    return this.redisConnection.executeCommand(() =>
      commands.relayRouteCall(buildPresenceKey(accountId), deviceId, capability, acceptBy, signedOnly, signed),
    );
  }

  /** Publishes to every other instance that has a connection of the account. */
  async publishSyncNotification(
    accountId: string,
    notification: SyncNotificationMessage,
    audience: SyncNotificationAudience,
  ): Promise<void> {
    const head = { type: 'hint', accountId, ...audience } as const;
    const message = this.redisConnection.codec.encode(head, null, JSON.stringify(notification));
    await this.redisConnection.executeCommand(() =>
      this.redisConnection.commands.relayPublishNotification(buildPresenceKey(accountId), this.instanceId, message),
    );
  }

  /**
   * Publishes to the instance that the device is connected to, if it can be watched.
   * @returns the number of entries of dead instances that were removed
   */
  async publishWatchLease(lease: WatchLease): Promise<number> {
    const { codec, commands } = this.redisConnection;
    const { accountId, deviceId, topic } = lease;
    const message = codec.encode({ type: 'watch', ...lease }, null);
    const args = [deviceId, LIVE_CAPABILITIES[topic.type], codec.requiresSignature ? 1 : 0, message] as const;
    return this.redisConnection.executeCommand(() => commands.relayPublishWatch(buildPresenceKey(accountId), ...args));
  }
}
