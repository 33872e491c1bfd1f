import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisClient } from '../../../../core/redis';
import type { DeviceConnection } from '../device-connection';
import type { DeviceCandidate } from '../relay-call';
import type { PresenceCommands } from './presence-commands';
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
 * Presence in a Redis Cluster, where the keys of account and instance are on different nodes: reads the entry at the
 * slot of the account, then acts at the slot of the instance. The owner verifies everything that may have changed in
 * between, and after which time it must not start a call: nodes have clocks of their own.
 */
export class ClusterPresence implements PresenceCommands {
  /** Instances that don't know yet that a connection of theirs was replaced, by the new connection. */
  private readonly uninformedInstances = new WeakMap<DeviceConnection, string>();

  constructor(private readonly redisConnection: RedisConnection) {}

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

  async removeDeadPresence(accountId: string, deviceId: string, epoch: number, deadInstanceId: string): Promise<void> {
    const lease = buildLeaseKey(this.redisConnection.commands, deadInstanceId);
    const hasLease = await this.executeAt(lease, (redis, key) => redis.exists(key));
    if (!hasLease) await this.removeEntry(accountId, deviceId, epoch, deadInstanceId);
  }

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

  async routeCall(
    accountId: string,
    deviceId: string,
    capability: string,
    _acceptBy: number,
    signed: string,
  ): Promise<RouteReply> {
    const buildMessage = ({ epoch }: PresenceEntry) => `{"epoch":${epoch},${signed}`;
    return this.sendToDevice(accountId, deviceId, capability, buildMessage);
  }

  async publishNotification(accountId: string, message: string): Promise<void> {
    const { instanceId } = this.redisConnection.codec;
    const key = this.buildPresenceKey(accountId);
    const instances = await this.executeAt(key, (redis) => redis.relayListInstances(key));
    const others = instances.filter((each) => each !== instanceId);
    await Promise.all(others.map((each) => this.redisConnection.publishTo(each, message)));
  }

  async publishWatch(accountId: string, deviceId: string, capability: string, message: string): Promise<number> {
    return (await this.sendToDevice(accountId, deviceId, capability, () => message))[1];
  }

  /** Until the message is sent, an error means that nothing was sent: the device is unreachable. */
  private async sendToDevice(
    accountId: string,
    deviceId: string,
    capability: string,
    buildMessage: (entry: PresenceEntry) => string,
  ): Promise<RouteReply> {
    let entry: PresenceEntry | null;
    try {
      entry = await this.readEntry(accountId, deviceId);
      if (!entry?.capabilities.includes(capability)) return ['offline', 0];
      if (!this.mayServe(entry)) return ['unreachable', 0];
      await this.openConnectionTo(entry.instance);
    } catch {
      return ['unreachable', 0];
    }
    const { instance } = entry;
    const state = await this.sendToInstance(instance, buildMessage(entry));
    if (state === 'reachable') return ['sent', 0, deviceId, instance];
    if (state === 'unreachable') return ['unreachable', 0];
    return ['offline', await this.pruneEntry(accountId, { deviceId, entry })];
  }

  /**
   * Sends the message if the instance is subscribed. An instance whose slot has moved to another node is subscribed
   * there a moment later.
   */
  private async sendToInstance(instance: string, message: string): Promise<InstanceState> {
    const channel = buildChannel(this.redisConnection.commands, instance);
    for (const pauseMs of [...MOVE_PAUSES_MS, null]) {
      const state = await this.executeAt(this.buildLeaseKey(instance), (redis, key) =>
        redis.relaySendMessage(key, channel, message),
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

  private readState(instance: string): Promise<InstanceState> {
    const channel = buildChannel(this.redisConnection.commands, instance);
    return this.executeAt(this.buildLeaseKey(instance), (redis, key) => redis.relayReadState(key, channel));
  }

  private async readEntry(accountId: string, deviceId: string): Promise<PresenceEntry | null> {
    const entry = await this.executeAt(this.buildPresenceKey(accountId), (redis, key) => redis.hget(key, deviceId));
    return entry === null ? null : parseEntry(entry);
  }

  private pruneEntry(accountId: string, { deviceId, entry }: LocatedDevice): Promise<number> {
    return this.removeEntry(accountId, deviceId, entry.epoch, entry.instance);
  }

  private removeEntry(accountId: string, deviceId: string, epoch: number, instance: string): Promise<number> {
    return this.executeAt(this.buildPresenceKey(accountId), (redis, key) =>
      redis.relayRemovePresence(key, deviceId, epoch, instance),
    );
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
