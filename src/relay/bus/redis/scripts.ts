import type { Redis, Result } from 'ioredis';
import { CHANNEL_PREFIX, LEASE_PREFIX } from './keys';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    relayAssert(
      presence: string,
      deviceId: string,
      epoch: number,
      entry: string,
      instance: string,
      superseded: string,
    ): Result<0 | 1, Context>;
    relayWithdraw(presence: string, deviceId: string, epoch: number, instance: string): Result<0 | 1, Context>;
    relayForget(presence: string, deviceId: string, epoch: number, instance: string): Result<0 | 1, Context>;
    relayRoute(
      presence: string,
      candidates: string,
      capability: string,
      acceptBy: number,
      answerBy: number,
      headTail: string,
      body: string,
    ): Result<RouteReply, Context>;
    relayHint(presence: string, instance: string, message: string): Result<number, Context>;
    relayRenew(
      instance: string,
      state: string,
      leaseMs: number,
      tick: string,
    ): Result<[existed: 0 | 1, seconds: string, microseconds: string, receivers: number], Context>;
    relayAlive(...instances: string[]): Result<(0 | 1)[], Context>;
  }
}

/** `sent` names who got it; otherwise nobody did. `pruned` counts entries of dead instances that were removed. */
export type RouteReply = [
  outcome: 'sent' | 'offline' | 'unreachable' | 'expired',
  pruned: number,
  deviceId?: string,
  instance?: string,
];

/** Neither lease nor subscription: it may only have lost touch for a moment where one of them is left. */
const IS_DEAD = `
local function isDead(instance)
  return redis.call('EXISTS', '${LEASE_PREFIX}' .. instance) == 0
    and redis.call('PUBSUB', 'NUMSUB', '${CHANNEL_PREFIX}' .. instance)[2] == 0
end`;

// Whose epoch is newer stands, whatever order messages come in: a late write cannot undo a newer connection's. The dead
// stand for nothing: after PostgreSQL was restored from a backup their epochs may lie ahead.
const ASSERT = `
${IS_DEAD}
local standing = redis.call('HGET', KEYS[1], ARGV[1])
if standing then
  local entry = cjson.decode(standing)
  if entry.epoch > tonumber(ARGV[2]) and not isDead(entry.instance) then return 0 end
  if entry.instance ~= ARGV[4] then redis.call('PUBLISH', '${CHANNEL_PREFIX}' .. entry.instance, ARGV[5]) end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1`;

const WITHDRAW = `
local standing = redis.call('HGET', KEYS[1], ARGV[1])
if not standing then return 0 end
local entry = cjson.decode(standing)
if entry.epoch ~= tonumber(ARGV[2]) or entry.instance ~= ARGV[3] then return 0 end
return redis.call('HDEL', KEYS[1], ARGV[1])`;

/** As WITHDRAW, of an instance that others took for dead: not where it has a lease. */
const FORGET = `
if redis.call('EXISTS', '${LEASE_PREFIX}' .. ARGV[3]) == 1 then return 0 end
${WITHDRAW}`;

// A device whose instance has neither lease nor subscription is dead, and its entry goes. One with either may only
// have lost touch for a moment: it is passed over, and nothing was sent to it.
const ROUTE = `
${IS_DEAD}
local capability, acceptBy, answerBy, tail, body = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5], ARGV[6]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local pruned, missed = 0, false
-- What was held up on its way here has been given up by its origin.
if now >= acceptBy then return {'expired', 0} end

local function serves(entry)
  for _, each in ipairs(entry.capabilities) do if each == capability then return true end end
  return false
end

local function offer(deviceId, entry)
  local channel = '${CHANNEL_PREFIX}' .. entry.instance
  if isDead(entry.instance) then
    redis.call('HDEL', KEYS[1], deviceId)
    pruned = pruned + 1
    return false
  end
  missed = true
  if redis.call('EXISTS', '${LEASE_PREFIX}' .. entry.instance) == 0 then return false end
  -- Asked before, not counted after: what is published with no subscriber here may still reach one through a replica.
  if redis.call('PUBSUB', 'NUMSUB', channel)[2] == 0 then return false end
  local head = string.format('{"owner":"%s","deviceId":"%s","epoch":%d,"acceptBy":%d,"answerBy":%d,',
    entry.instance, deviceId, entry.epoch, acceptBy, answerBy)
  redis.call('PUBLISH', channel, head .. tail .. '\\n' .. body)
  return true
end

local function newest()
  local found = {}
  local all = redis.call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do
    local entry = cjson.decode(all[i + 1])
    if entry.kind == 'account' and serves(entry) then found[#found + 1] = {all[i], entry} end
  end
  table.sort(found, function(a, b) return a[2].epoch > b[2].epoch end)
  return found
end

for _, candidate in ipairs(cjson.decode(ARGV[1])) do
  local found = {}
  if candidate.newest then
    found = newest()
  else
    local standing = redis.call('HGET', KEYS[1], candidate.deviceId)
    if standing then found = {{candidate.deviceId, cjson.decode(standing)}} end
  end
  for _, each in ipairs(found) do
    if serves(each[2]) and offer(each[1], each[2]) then return {'sent', pruned, each[1], each[2].instance} end
  end
end
return {missed and 'unreachable' or 'offline', pruned}`;

const HINT = `
local told = {[ARGV[1]] = true}
for _, standing in ipairs(redis.call('HVALS', KEYS[1])) do
  local instance = cjson.decode(standing).instance
  if not told[instance] then
    told[instance] = true
    redis.call('PUBLISH', '${CHANNEL_PREFIX}' .. instance, ARGV[2])
  end
end
return 1`;

const RENEW = `
local lease = '${LEASE_PREFIX}' .. ARGV[1]
local existed = redis.call('EXISTS', lease)
redis.call('SET', lease, ARGV[2], 'PX', ARGV[3])
local receivers = redis.call('PUBLISH', '${CHANNEL_PREFIX}' .. ARGV[1], ARGV[4])
local time = redis.call('TIME')
return {existed, time[1], time[2], receivers}`;

const ALIVE = `
local alive = {}
for i, instance in ipairs(ARGV) do
  local subscribed = redis.call('PUBSUB', 'NUMSUB', '${CHANNEL_PREFIX}' .. instance)[2]
  alive[i] = (subscribed > 0 and redis.call('EXISTS', '${LEASE_PREFIX}' .. instance) == 1) and 1 or 0
end
return alive`;

export function defineScripts(redis: Redis): void {
  redis.defineCommand('relayAssert', { numberOfKeys: 1, lua: ASSERT });
  redis.defineCommand('relayWithdraw', { numberOfKeys: 1, lua: WITHDRAW });
  redis.defineCommand('relayForget', { numberOfKeys: 1, lua: FORGET });
  redis.defineCommand('relayRoute', { numberOfKeys: 1, lua: ROUTE });
  redis.defineCommand('relayHint', { numberOfKeys: 1, lua: HINT });
  redis.defineCommand('relayRenew', { numberOfKeys: 0, lua: RENEW });
  redis.defineCommand('relayAlive', { numberOfKeys: 0, lua: ALIVE });
}
