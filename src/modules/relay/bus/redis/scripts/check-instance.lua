-- Checks whether an instance is alive: it has both a lease and a subscription.
--
-- KEYS[1]  lease of the instance
-- ARGV[1]  its channel
-- ARGV[2]  'NUMSUB', or 'SHARDNUMSUB' in a cluster
-- Returns 1 or 0.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
return redis.call('PUBSUB', ARGV[2], ARGV[1])[2] > 0 and 1 or 0
