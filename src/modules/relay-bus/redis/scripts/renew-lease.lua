-- Renews the lease of an instance and checks its subscription.
--
-- KEYS[1]  lease of the instance
-- ARGV[1]  state: 'live' or 'draining'
-- ARGV[2]  duration of the lease in ms
-- ARGV[3]  'PUBLISH', or 'SPUBLISH' in a cluster
-- ARGV[4]  channel of the instance
-- ARGV[5]  `tick` envelope, published to the instance itself
-- Returns {1 if the lease had not expired, else 0; number of subscribers}.
local existed = redis.call('EXISTS', KEYS[1])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {existed, redis.call(ARGV[3], ARGV[4], ARGV[5])}
