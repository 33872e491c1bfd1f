import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from 'ioredis';
import type { RedisClient } from '../../../core/redis';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    relayRemovePresence(presence: string, deviceId: string, epoch: number, instance: string): Result<0 | 1, Context>;
    relayStorePresence(
      presence: string,
      deviceId: string,
      epoch: number,
      entry: string,
      deadInstance: string,
    ): Result<[isStored: 0 | 1, otherInstance: string], Context>;
    relayListInstances(presence: string): Result<string[], Context>;
    relayReadState(lease: string, channel: string, countCommand: string): Result<InstanceState, Context>;
    relaySendMessage(
      lease: string,
      channel: string,
      countCommand: string,
      publishCommand: string,
      message: string,
    ): Result<InstanceState, Context>;
    relayRenewLease(
      lease: string,
      state: string,
      leaseMs: number,
      publishCommand: string,
      channel: string,
      tick: string,
    ): Result<[existed: 0 | 1, subscribers: number], Context>;
    relayReadTime(key: string): Result<[seconds: string, microseconds: string], Context>;
  }
}

/** `sent` names device and instance; nothing was sent otherwise. `pruned` counts removed entries of dead instances. */
export type RouteReply =
  | [outcome: 'sent', pruned: number, deviceId: string, instance: string]
  | [outcome: 'offline' | 'unreachable', pruned: number];

/** `picked` names the device to send the call to. `pruned` counts removed entries of dead instances. */
export type PickReply =
  | [outcome: 'picked', pruned: number, deviceId: string]
  | [outcome: 'offline' | 'unreachable', pruned: number];

/** An instance with only a lease or only a subscription may be reconnecting: it is unreachable. */
export type InstanceState = 'reachable' | 'unreachable' | 'dead';

const SCRIPTS_FOLDER = join(__dirname, 'scripts');
const INCLUDE = /^--- @include "([\w-]+)"$/gm;

/** Scripts by the name of their command, each with one key. `scripts/*.lua` documents KEYS, ARGV and results. */
const SCRIPTS = {
  relayRemovePresence: 'remove-presence',
  relayStorePresence: 'store-presence',
  relayListInstances: 'list-instances',
  relayReadState: 'read-state',
  relaySendMessage: 'send-message',
  relayRenewLease: 'renew-lease',
  relayReadTime: 'read-time',
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
