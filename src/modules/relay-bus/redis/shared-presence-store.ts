import type { SyncNotificationMessage } from '@external-api/protocol';
import type { DeviceConnection } from '../device-connection';
import { LIVE_CAPABILITIES, type WatchLease } from '../live-output';
import type { SyncNotificationAudience } from '../local-connection-registry';
import type { RelayCall } from '../relay-call';
import type { RequestHead } from './envelope';
import { PresenceCommands } from './presence-commands';
import type { RedisClock } from './redis-clock';
import type { RedisConnection } from './redis-connection';
import type { PresenceEntry } from './redis-keys';
import type { InstanceState, PickReply, RouteReply } from './scripts';

/** Silence after which an origin gives up on an owner, and time in which an owner may start a call, in ms. */
export const OWNER_TIMEOUT_MS = 2_000;

/**
 * Presence of all devices in Redis, shared by all instances, and routing by it
 * (docs/protocol/relay.md#routing-between-instances).
 */
export class SharedPresenceStore {
  private readonly presenceCommands: PresenceCommands;

  constructor(
    private readonly redisConnection: RedisConnection,
    private readonly clock: RedisClock,
  ) {
    this.presenceCommands = new PresenceCommands(redisConnection);
  }

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
    return this.presenceCommands.publishPresence(connection, JSON.stringify(entry), supersededMessage);
  }

  /** Removes the entry only if it is of this instance and this epoch. */
  async removeEntry(accountId: string, deviceId: string, epoch: number): Promise<void> {
    await this.presenceCommands.removeEntry(accountId, deviceId, epoch, this.instanceId);
  }

  /** Removes an entry of a dead instance. Does nothing if that instance has a lease. */
  removeDeadEntry(accountId: string, deviceId: string, epoch: number, deadInstanceId: string): Promise<void> {
    return this.presenceCommands.removeDeadPresence(accountId, deviceId, epoch, deadInstanceId);
  }

  /** Reads whether an instance can receive messages. */
  readInstanceState(instanceId: string): Promise<InstanceState> {
    return this.presenceCommands.readState(instanceId);
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
    return this.presenceCommands.pickDevice(accountId, candidates, capability).catch(() => ['unreachable', 0]);
  }

  private routeCallToDevice(deviceId: string, call: RelayCall, attempt: number): Promise<RouteReply> {
    const { accountId, request, capability, audit } = call;
    const head: Omit<RequestHead, 'epoch'> = {
      type: 'request',
      deviceId,
      acceptBy: this.clock.now() + OWNER_TIMEOUT_MS,
      answerBy: this.clock.now() + Math.max(0, call.answerTimeoutMs),
      attempt,
      callId: request.requestId,
      origin: this.instanceId,
      accountId,
      method: request.method,
      ...(request.traceparent && { traceparent: request.traceparent }),
      audit,
    };
    // The epoch of the presence entry comes in front.
    const signed = this.redisConnection.codec.encode(head as RequestHead, null, JSON.stringify(request)).slice(1);
    return this.presenceCommands.routeCall(accountId, deviceId, capability, signed);
  }

  /** Publishes to every other instance that has a connection of the account. */
  async publishSyncNotification(
    accountId: string,
    notification: SyncNotificationMessage,
    audience: SyncNotificationAudience,
  ): Promise<void> {
    const head = { type: 'hint', accountId, ...audience } as const;
    const message = this.redisConnection.codec.encode(head, null, JSON.stringify(notification));
    await this.presenceCommands.publishNotification(accountId, message);
  }

  /**
   * Publishes to the instance that the device is connected to, if it can be watched.
   * @returns the number of entries of dead instances that were removed
   */
  async publishWatchLease(lease: WatchLease): Promise<number> {
    const { accountId, deviceId, topic } = lease;
    const message = this.redisConnection.codec.encode({ type: 'watch', ...lease }, null);
    return this.presenceCommands.publishWatch(accountId, deviceId, LIVE_CAPABILITIES[topic.type], message);
  }
}
