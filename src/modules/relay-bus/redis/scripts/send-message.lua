-- Publishes a message to an instance, if the instance is reachable.
--
-- KEYS[1]  lease of the instance
-- ARGV[1]  its channel, which has the same slot
-- ARGV[2]  'NUMSUB', or 'SHARDNUMSUB' in a cluster
-- ARGV[3]  'PUBLISH', or 'SPUBLISH' in a cluster
-- ARGV[4]  envelope
-- Returns 'reachable', 'unreachable' or 'dead'. Nothing was published unless 'reachable'.
--- @include "instance-state"
local state = readState()
if state == 'reachable' then redis.call(ARGV[3], ARGV[1], ARGV[4]) end
return state
