-- Checks which instances are alive: those that have both a lease and a subscription.
--
-- ARGV  instance ids
-- Returns an array with 1 for each live instance and 0 for each other one, in the order of ARGV.
local alive = {}
for i, instance in ipairs(ARGV) do
  local subscribers = redis.call('PUBSUB', 'NUMSUB', 'relay:to:' .. instance)[2]
  alive[i] = (subscribers > 0 and redis.call('EXISTS', 'relay:lease:' .. instance) == 1) and 1 or 0
end
return alive
