import type { RedisClient } from '../../../../core/redis';
import type { DeviceConnection } from '../device-connection';
import type { DeviceCandidate } from '../relay-call';
import type { PresenceCommands } from './presence-commands';
import type { RedisConnection } from './redis-connection';
import { buildPresenceKey } from './redis-keys';
import type { PickReply, RouteReply } from './scripts';

/** Presence on one Redis: each command is one script, which reads and writes the keys of account and instance. */
export class SingleNodePresence implements PresenceCommands {
  constructor(private readonly redisConnection: RedisConnection) {}

  async publishPresence(
    { device: { accountId, deviceId }, epoch }: DeviceConnection,
    entry: string,
    supersededMessage: string,
  ): Promise<boolean> {
    const args = [deviceId, epoch, entry, this.instanceId, supersededMessage] as const;
    const reply = await this.executeFor(accountId, (redis, key) => redis.relayPublishPresence(key, ...args));
    return reply === 1;
  }

  async removeDeadPresence(accountId: string, deviceId: string, epoch: number, deadInstanceId: string): Promise<void> {
    const args = [deviceId, epoch, deadInstanceId] as const;
    await this.executeFor(accountId, (redis, key) => redis.relayRemoveDeadPresence(key, ...args));
  }

  pickDevice(accountId: string, candidates: readonly DeviceCandidate[], capability: string): Promise<PickReply> {
    const args = [JSON.stringify(candidates), capability, this.signedOnly] as const;
    return this.executeFor(accountId, (redis, key) => redis.relayPickDevice(key, ...args));
  }

  routeCall(
    accountId: string,
    deviceId: string,
    capability: string,
    acceptBy: number,
    signed: string,
  ): Promise<RouteReply> {
    const args = [deviceId, capability, acceptBy, this.signedOnly, signed] as const;
    return this.executeFor(accountId, (redis, key) => redis.relayRouteCall(key, ...args));
  }

  async publishNotification(accountId: string, message: string): Promise<void> {
    const args = [this.instanceId, message] as const;
    await this.executeFor(accountId, (redis, key) => redis.relayPublishNotification(key, ...args));
  }

  publishWatch(accountId: string, deviceId: string, capability: string, message: string): Promise<number> {
    const args = [deviceId, capability, this.signedOnly, message] as const;
    return this.executeFor(accountId, (redis, key) => redis.relayPublishWatch(key, ...args));
  }

  private get instanceId(): string {
    return this.redisConnection.codec.instanceId;
  }

  private get signedOnly(): 0 | 1 {
    return this.redisConnection.codec.requiresSignature ? 1 : 0;
  }

  private executeFor<T>(accountId: string, command: (redis: RedisClient, key: string) => Promise<T>): Promise<T> {
    const { commands } = this.redisConnection;
    const key = buildPresenceKey(commands, accountId);
    return this.redisConnection.executeCommand(() => command(commands, key), key);
  }
}
