import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis, Result } from 'ioredis';

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
    relayRenewLease(
      instance: string,
      state: string,
      leaseMs: number,
      tick: string,
    ): Result<[existed: 0 | 1, seconds: string, microseconds: string, receivers: number], Context>;
    relayCheckInstances(...instances: string[]): Result<(0 | 1)[], Context>;
  }
}

/** `sent` names device and instance; nothing was sent otherwise. `pruned` counts removed entries of dead instances. */
export type RouteReply =
  | [outcome: 'sent', pruned: number, deviceId: string, instance: string]
  | [outcome: 'offline' | 'unreachable' | 'expired', pruned: number];

/** `picked` names the device to send the call to. `pruned` counts removed entries of dead instances. */
export type PickReply =
  [outcome: 'picked', pruned: number, deviceId: string] | [outcome: 'offline' | 'unreachable', pruned: number];

const SCRIPTS_FOLDER = join(__dirname, 'scripts');
const INCLUDE = /^--- @include "([\w-]+)"$/gm;

/** Defines the Lua scripts of the bus as commands. KEYS, ARGV and results are documented in `scripts/*.lua`. */
export function defineRelayScripts(redis: Redis): void {
  redis.defineCommand('relayPublishPresence', { numberOfKeys: 1, lua: readScript('publish-presence') });
  redis.defineCommand('relayRemovePresence', { numberOfKeys: 1, lua: readScript('remove-presence') });
  redis.defineCommand('relayRemoveDeadPresence', { numberOfKeys: 1, lua: readScript('remove-dead-presence') });
  redis.defineCommand('relayPickDevice', { numberOfKeys: 1, lua: readScript('pick-device') });
  redis.defineCommand('relayRouteCall', { numberOfKeys: 1, lua: readScript('route-call') });
  redis.defineCommand('relayPublishNotification', { numberOfKeys: 1, lua: readScript('publish-notification') });
  redis.defineCommand('relayPublishWatch', { numberOfKeys: 1, lua: readScript('publish-watch') });
  redis.defineCommand('relayRenewLease', { numberOfKeys: 0, lua: readScript('renew-lease') });
  redis.defineCommand('relayCheckInstances', { numberOfKeys: 0, lua: readScript('check-instances') });
}

/** Returns the text of a script, with the files of `scripts/include` that it includes. */
function readScript(name: string): string {
  const text = readFileSync(join(SCRIPTS_FOLDER, `${name}.lua`), 'utf8');
  return text.replace(INCLUDE, (_, include: string) => readScript(join('include', include)));
}
