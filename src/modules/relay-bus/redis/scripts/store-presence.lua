-- Stores the presence of a device connection. The highest epoch wins regardless of arrival order, so a late write
-- cannot replace a newer connection. Entries of dead instances are ignored: after a PostgreSQL restore their epochs may
-- be ahead.
--
-- KEYS[1]  presence hash of the account
-- ARGV[1]  device id
-- ARGV[2]  epoch
-- ARGV[3]  presence entry as JSON
-- ARGV[4]  id of an instance that was found dead, or ''
-- Returns {1, the instance of the replaced entry or ''}, or {0, the instance of the newer connection}.
local current = redis.call('HGET', KEYS[1], ARGV[1])
local entry = current and cjson.decode(current)
if entry and entry.epoch > tonumber(ARGV[2]) and entry.instance ~= ARGV[4] then return {0, entry.instance} end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return {1, entry and entry.instance or ''}
