-- Removes the presence entry of a device if it has this epoch and this instance.
local current = redis.call('HGET', KEYS[1], ARGV[1])
if not current then return 0 end
local entry = cjson.decode(current)
if entry.epoch ~= tonumber(ARGV[2]) or entry.instance ~= ARGV[3] then return 0 end
return redis.call('HDEL', KEYS[1], ARGV[1])
