-- Renews the lease of an instance, checks its subscription and reads Redis time.
--
-- ARGV[1]  instance id
-- ARGV[2]  state: 'live' or 'draining'
-- ARGV[3]  duration of the lease in ms
-- ARGV[4]  `tick` envelope, published to the instance itself
-- Returns {1 if the lease had not expired, else 0; Redis time in s; its microseconds; number of subscribers}.
local lease = 'relay:lease:' .. ARGV[1]
local existed = redis.call('EXISTS', lease)
redis.call('SET', lease, ARGV[2], 'PX', ARGV[3])
local subscribers = redis.call('PUBLISH', 'relay:to:' .. ARGV[1], ARGV[4])
local time = redis.call('TIME')
return {existed, time[1], time[2], subscribers}
