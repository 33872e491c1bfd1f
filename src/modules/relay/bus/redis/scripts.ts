import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from 'ioredis';
import type { RedisClient } from '../../../../core/redis';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    relayPublishPresence(
      presence: string,
      deviceId: string,
      epoch: number,
      entry: string,
      instance: string,
      superseded: string,
    ): Result<0 | 1, Context>;
    relayRemovePresence(presence: string, deviceId: string, epoch: number, instance: string): Result<0 | 1, Context>;
    relayRemoveDeadPresence(
      presence: string,
      deviceId: string,
      epoch: number,
      instance: string,
    ): Result<0 | 1, Context>;
    relayPickDevice(
      presence: string,
      candidates: string,
      capability: string,
      signedOnly: 0 | 1,
    ): Result<PickReply, Context>;
    relayRouteCall(
      presence: string,
      deviceId: string,
      capability: string,
      acceptBy: number,
      signedOnly: 0 | 1,
      signed: string,
    ): Result<RouteReply, Context>;
    relayPublishNotification(presence: string, instance: string, message: string): Result<number, Context>;
    relayPublishWatch(
      presence: string,
      deviceId: string,
      capability: string,
      signedOnly: 0 | 1,
      message: string,
    ): Result<number, Context>;
    relayStorePresence(
      presence: string,
      deviceId: string,
      epoch: number,
      entry: string,
      deadInstance: string,
    ): Result<[isStored: 0 | 1, otherInstance: string], Context>;
    relayListInstances(presence: string): Result<string[], Context>;
    relayReadState(lease: string, channel: string): Result<InstanceState, Context>;
    relaySendMessage(lease: string, channel: string, message: string): Result<InstanceState, Context>;
    relayRenewLease(
      lease: string,
      state: string,
      leaseMs: number,
      publishCommand: 'PUBLISH' | 'SPUBLISH',
      channel: string,
      tick: string,
    ): Result<[existed: 0 | 1, subscribers: number], Context>;
    relayReadTime(key: string): Result<[seconds: string, microseconds: string], Context>;
    relayCheckInstance(lease: string, channel: string, countCommand: 'NUMSUB' | 'SHARDNUMSUB'): Result<0 | 1, Context>;
  }
}

/** `sent` names device and instance; nothing was sent otherwise. `pruned` counts removed entries of dead instances. */
export type RouteReply =
  | [outcome: 'sent', pruned: number, deviceId: string, instance: string]
  | [outcome: 'offline' | 'unreachable' | 'expired', pruned: number];

/** `picked` names the device to send the call to. `pruned` counts removed entries of dead instances. */
export type PickReply =
  [outcome: 'picked', pruned: number, deviceId: string] | [outcome: 'offline' | 'unreachable', pruned: number];

/** An instance with only a lease or only a subscription may be reconnecting: it is unreachable. */
export type InstanceState = 'reachable' | 'unreachable' | 'dead';

const SCRIPTS_FOLDER = join(__dirname, 'scripts');
const INCLUDE = /^--- @include "([\w-]+)"$/gm;

/** Scripts by the name of their command, each with one key. `scripts/*.lua` documents KEYS, ARGV and results. */
const SCRIPTS = {
  relayPublishPresence: 'publish-presence',
  relayRemovePresence: 'remove-presence',
  relayRemoveDeadPresence: 'remove-dead-presence',
  relayPickDevice: 'pick-device',
  relayRouteCall: 'route-call',
  relayPublishNotification: 'publish-notification',
  relayPublishWatch: 'publish-watch',
  relayStorePresence: 'store-presence',
  relayListInstances: 'list-instances',
  relayReadState: 'read-state',
  relaySendMessage: 'send-message',
  relayRenewLease: 'renew-lease',
  relayReadTime: 'read-time',
  relayCheckInstance: 'check-instance',
};

/** Defines the Lua scripts of the bus as commands. */
export function defineRelayScripts(redis: RedisClient): void {
  for (const [command, script] of Object.entries(SCRIPTS)) {
    redis.defineCommand(command, { numberOfKeys: 1, lua: readScript(script) });
  }
}

/** Returns the text of a script, with the files of `scripts/include` that it includes. */
function readScript(name: string): string {
  const text = readFileSync(join(SCRIPTS_FOLDER, `${name}.lua`), 'utf8');
  return text.replace(INCLUDE, (_, include: string) => readScript(join('include', include)));
}
