-- Publishes the presence of a device connection. The highest epoch wins regardless of arrival order, so a late write
-- cannot replace a newer connection. Entries of dead instances are ignored: after a PostgreSQL restore their epochs may
-- be ahead. The instance of the replaced entry gets the `superseded` message.
--
-- KEYS[1]  presence hash of the account
-- ARGV[1]  device id
-- ARGV[2]  epoch
-- ARGV[3]  presence entry as JSON
-- ARGV[4]  id of the publishing instance
-- ARGV[5]  `superseded` envelope
-- Returns 1, or 0 if the device has a newer connection.
--- @include "is-dead"
local current = redis.call('HGET', KEYS[1], ARGV[1])
if current then
  local entry = cjson.decode(current)
  if entry.epoch > tonumber(ARGV[2]) and not isDead(entry.instance) then return 0 end
  if entry.instance ~= ARGV[4] then redis.call('PUBLISH', 'relay:to:' .. entry.instance, ARGV[5]) end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
