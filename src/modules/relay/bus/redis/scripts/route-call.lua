-- Publishes a call to the instance that its device is connected to.
--
-- KEYS[1]  presence hash of the account
-- ARGV[1]  device id
-- ARGV[2]  capability
-- ARGV[3]  time until which the owner may start the call, in Unix ms
-- ARGV[4]  '1' to send only to instances that sign envelopes
-- ARGV[5]  signed `request` envelope without its first character `{`; the script puts the epoch of the entry in front
-- Returns {'sent', pruned, deviceId, instance}, {'unreachable', pruned}, {'offline', pruned} or {'expired', 0}.
-- Nothing was published unless 'sent'. `pruned` counts removed entries of dead instances.
local deviceId, capability, acceptBy, signedOnly = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4] == '1'
--- @include "reachability"
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- The origin has given up a call that was delayed on its way to Redis.
if now >= acceptBy then return {'expired', 0} end

local current = redis.call('HGET', KEYS[1], deviceId)
local entry = current and cjson.decode(current)
if entry and hasCapability(entry) and isReachable(deviceId, entry) then
  redis.call('PUBLISH', 'relay:to:' .. entry.instance, string.format('{"epoch":%d,', entry.epoch) .. ARGV[5])
  return {'sent', pruned, deviceId, entry.instance}
end
return {missed and 'unreachable' or 'offline', pruned}
