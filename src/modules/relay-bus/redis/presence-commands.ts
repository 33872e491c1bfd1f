import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisClient } from '../../../core/redis';
import type { DeviceConnection } from '../device-connection';
import type { DeviceCandidate } from '../relay-call';
import type { RedisConnection } from './redis-connection';
import { buildChannel, buildLeaseKey, buildPresenceKey, type PresenceEntry } from './redis-keys';
import type { InstanceState, PickReply, RouteReply } from './scripts';

/** Pauses in ms before a message is sent again that nobody has received, because the receiver's slot is moving. */
const MOVE_PAUSES_MS = [50, 150, 400];

interface LocatedDevice {
  deviceId: string;
  entry: PresenceEntry;
}

/**
 * Commands that combine the presence of an account with leases and channels of instances, which a cluster has on
 * different nodes: they read the entry at the slot of the account, then act at the slot of the instance. The owner
 * verifies everything that may have changed in between, and after which time it must not start a call.
 */
export class PresenceCommands {
  /** Instances that don't know yet that a connection of theirs was replaced, by the new connection. */
  private readonly uninformedInstances = new WeakMap<DeviceConnection, string>();

  constructor(private readonly redisConnection: RedisConnection) {}

  /**
   * Publishes the presence of a connection, and the message to the instance whose entry it replaces. After an error,
   * the next publication of the connection makes up for both.
   * @returns false if the device has a newer connection, whose entry then stays
   */
  async publishPresence(connection: DeviceConnection, entry: string, supersededMessage: string): Promise<boolean> {
    const { accountId, deviceId } = connection.device;
    const { epoch } = connection;
    const { instanceId } = this.redisConnection.codec;
    const store = (deadInstanceId: string) =>
      this.executeAt(this.buildPresenceKey(accountId), (redis, key) =>
        redis.relayStorePresence(key, deviceId, epoch, entry, deadInstanceId),
      );
    let [isStored, other] = await store('');
    if (!isStored && (await this.readState(other)) === 'dead') [isStored, other] = await store(other);
    if (!isStored) return false;
    // The entry of the other instance is gone now, so a repetition would not find it.
    if (other && other !== instanceId) this.uninformedInstances.set(connection, other);
    const uninformed = this.uninformedInstances.get(connection);
    if (uninformed) {
      await this.redisConnection.publishTo(uninformed, supersededMessage);
      this.uninformedInstances.delete(connection);
    }
    return true;
  }

  /** Removes an entry if it has this epoch and this instance. Returns the number of removed entries. */
  removeEntry(accountId: string, deviceId: string, epoch: number, instance: string): Promise<number> {
    return this.executeAt(this.buildPresenceKey(accountId), (redis, key) =>
      redis.relayRemovePresence(key, deviceId, epoch, instance),
    );
  }

  /** Removes an entry of a dead instance. Does nothing if that instance has a lease. */
  async removeDeadPresence(accountId: string, deviceId: string, epoch: number, deadInstanceId: string): Promise<void> {
    const lease = buildLeaseKey(this.redisConnection.commands, deadInstanceId);
    const hasLease = await this.executeAt(lease, (redis, key) => redis.exists(key));
    if (!hasLease) await this.removeEntry(accountId, deviceId, epoch, deadInstanceId);
  }

  /** Picks the first candidate that is reachable and has the capability. */
  async pickDevice(accountId: string, candidates: readonly DeviceCandidate[], capability: string): Promise<PickReply> {
    const presence = await this.executeAt(this.buildPresenceKey(accountId), (redis, key) => redis.hgetall(key));
    const devices = Object.entries(presence).map(([deviceId, entry]) => ({ deviceId, entry: parseEntry(entry) }));
    const newest = devices
      .filter(({ entry }) => entry.kind === 'account')
      .sort((a, b) => b.entry.epoch - a.entry.epoch);
    let [pruned, missed] = [0, false];
    for (const candidate of candidates) {
      const found = 'newest' in candidate ? newest : devices.filter(({ deviceId }) => deviceId === candidate.deviceId);
      for (const device of found.filter(({ entry }) => entry.capabilities.includes(capability))) {
        // While its node does not answer, an instance is unreachable, and the next candidate may not be.
        const state = await this.readState(device.entry.instance).catch(() => 'unreachable' as const);
        if (state === 'dead') pruned += await this.pruneEntry(accountId, device);
        else if (state === 'reachable' && this.mayServe(device.entry)) return ['picked', pruned, device.deviceId];
        else missed = true;
      }
    }
    return [missed ? 'unreachable' : 'offline', pruned];
  }

  /**
   * Publishes a call to the instance that its device is connected to.
   * @param signed `request` envelope without its first character `{`: the epoch of the entry comes in front
   */
  routeCall(accountId: string, deviceId: string, capability: string, signed: string): Promise<RouteReply> {
    const buildMessage = ({ epoch }: PresenceEntry) => `{"epoch":${epoch},${signed}`;
    return this.sendToDevice(accountId, deviceId, capability, buildMessage);
  }

  /** Publishes a message once to every other instance that has a connection of the account. */
  async publishNotification(accountId: string, message: string): Promise<void> {
    const { instanceId } = this.redisConnection.codec;
    const key = this.buildPresenceKey(accountId);
    const instances = await this.executeAt(key, (redis) => redis.relayListInstances(key));
    const others = instances.filter((each) => each !== instanceId);
    await Promise.all(others.map((each) => this.redisConnection.publishTo(each, message)));
  }

  /**
   * Publishes a message to the instance that the device is connected to, if the device has the capability.
   * @returns the number of entries of dead instances that were removed
   */
  async publishWatch(accountId: string, deviceId: string, capability: string, message: string): Promise<number> {
    return (await this.sendToDevice(accountId, deviceId, capability, () => message))[1];
  }

  /**
   * Until the message is sent, an error means that nothing was sent: the device is unreachable.
   * @param failedEpoch epoch of an entry whose instance could not be reached
   */
  private async sendToDevice(
    accountId: string,
    deviceId: string,
    capability: string,
    buildMessage: (entry: PresenceEntry) => string,
    failedEpoch?: number,
  ): Promise<RouteReply> {
    let entry: PresenceEntry | null;
    try {
      entry = await this.readEntry(accountId, deviceId);
      if (!entry?.capabilities.includes(capability)) return ['offline', 0];
      if (entry.epoch === failedEpoch) return ['unreachable', 0];
      // An entry of the previous release may remain of a dead instance.
      if (!this.mayServe(entry) && (await this.readState(entry.instance)) !== 'dead') return ['unreachable', 0];
      await this.openConnectionTo(entry.instance);
    } catch {
      return ['unreachable', 0];
    }
    const { instance } = entry;
    const state = await this.sendToInstance(instance, buildMessage(entry));
    if (state === 'reachable') return ['sent', 0, deviceId, instance];
    const pruned = state === 'dead' ? await this.pruneEntry(accountId, { deviceId, entry }) : 0;
    // The instance may have shut down since the entry was read, after the device had moved to another one.
    const again = await this.sendToDevice(accountId, deviceId, capability, buildMessage, entry.epoch);
    again[1] += pruned;
    return again;
  }

  /**
   * Sends the message if the instance is subscribed. An instance whose slot has moved to another node of a cluster is
   * subscribed there a moment later.
   */
  private async sendToInstance(instance: string, message: string): Promise<InstanceState> {
    const { commands, isCluster, countCommand, publishCommand } = this.redisConnection;
    const channel = buildChannel(commands, instance);
    for (const pauseMs of [...(isCluster ? MOVE_PAUSES_MS : []), null]) {
      const state = await this.executeAt(this.buildLeaseKey(instance), (redis, key) =>
        redis.relaySendMessage(key, channel, countCommand, publishCommand, message),
      );
      if (state !== 'unreachable' || pauseMs === null) return state;
      await sleep(pauseMs);
    }
    return 'unreachable';
  }

  /**
   * Reads from the instance's node if there is no open connection to it. Otherwise a message would be sent on a new
   * connection, and if that failed, it would not be known whether the message was sent.
   */
  private async openConnectionTo(instance: string): Promise<void> {
    if (!this.redisConnection.isConnectedTo(this.buildLeaseKey(instance))) await this.readState(instance);
  }

  /** Reads whether an instance can receive messages. */
  readState(instance: string): Promise<InstanceState> {
    const channel = buildChannel(this.redisConnection.commands, instance);
    return this.executeAt(this.buildLeaseKey(instance), (redis, key) =>
      redis.relayReadState(key, channel, this.redisConnection.countCommand),
    );
  }

  private async readEntry(accountId: string, deviceId: string): Promise<PresenceEntry | null> {
    const entry = await this.executeAt(this.buildPresenceKey(accountId), (redis, key) => redis.hget(key, deviceId));
    return entry === null ? null : parseEntry(entry);
  }

  private pruneEntry(accountId: string, { deviceId, entry }: LocatedDevice): Promise<number> {
    return this.removeEntry(accountId, deviceId, entry.epoch, entry.instance);
  }

  /** Whether the instance signs its envelopes, or does not have to. */
  private mayServe({ signed }: PresenceEntry): boolean {
    return signed === true || !this.redisConnection.codec.requiresSignature;
  }

  private buildPresenceKey(accountId: string): string {
    return buildPresenceKey(this.redisConnection.commands, accountId);
  }

  private buildLeaseKey(instance: string): string {
    return buildLeaseKey(this.redisConnection.commands, instance);
  }

  private executeAt<T>(key: string, command: (redis: RedisClient, key: string) => Promise<T>): Promise<T> {
    return this.redisConnection.executeCommand(() => command(this.redisConnection.commands, key), key);
  }
}

function parseEntry(entry: string): PresenceEntry {
  return JSON.parse(entry) as PresenceEntry;
}
