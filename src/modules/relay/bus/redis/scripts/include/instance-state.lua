-- Returns the state of the instance with the lease KEYS[1] and the sharded channel ARGV[1]. An instance with only one
-- of them may be reconnecting: it is unreachable. Without both it is dead.
local function readState()
  local hasLease = redis.call('EXISTS', KEYS[1]) == 1
  local isSubscribed = redis.call('PUBSUB', 'SHARDNUMSUB', ARGV[1])[2] > 0
  if hasLease and isSubscribed then return 'reachable' end
  return (hasLease or isSubscribed) and 'unreachable' or 'dead'
end
