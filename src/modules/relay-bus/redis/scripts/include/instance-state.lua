-- Returns the state of the instance with the lease KEYS[1] and the channel ARGV[1], whose subscribers ARGV[2] counts.
-- An instance with only one of them may be reconnecting: it is unreachable. Without both it is dead. Subscribers are
-- counted before a message is published: without one on this server, it may still reach one through a replica.
local function readState()
  local hasLease = redis.call('EXISTS', KEYS[1]) == 1
  local isSubscribed = redis.call('PUBSUB', ARGV[2], ARGV[1])[2] > 0
  if hasLease and isSubscribed then return 'reachable' end
  return (hasLease or isSubscribed) and 'unreachable' or 'dead'
end
