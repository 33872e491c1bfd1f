-- Publishes a sync notification once to every other instance that has a connection of the account.
--
-- KEYS[1]  presence hash of the account
-- ARGV[1]  id of the publishing instance, which gets no message
-- ARGV[2]  `hint` envelope
-- Returns 1.
local notified = {[ARGV[1]] = true}
for _, current in ipairs(redis.call('HVALS', KEYS[1])) do
  local instance = cjson.decode(current).instance
  if not notified[instance] then
    notified[instance] = true
    redis.call('PUBLISH', 'relay:to:' .. instance, ARGV[2])
  end
end
return 1
