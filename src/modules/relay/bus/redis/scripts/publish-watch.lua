-- Publishes the lease of a watch to the instance that its device is connected to.
--
-- KEYS[1]  presence hash of the account
-- ARGV[1]  device id
-- ARGV[2]  capability
-- ARGV[3]  '1' to send only to instances that sign envelopes
-- ARGV[4]  `watch` envelope
-- Returns the number of removed entries of dead instances.
local deviceId, capability, signedOnly = ARGV[1], ARGV[2], ARGV[3] == '1'
--- @include "reachability"
local current = redis.call('HGET', KEYS[1], deviceId)
local entry = current and cjson.decode(current)
if entry and hasCapability(entry) and isReachable(deviceId, entry) then
  redis.call('PUBLISH', 'relay:to:' .. entry.instance, ARGV[4])
end
return pruned
