-- Publishes a message to an instance in a cluster, if the instance is reachable.
--
-- KEYS[1]  lease of the instance
-- ARGV[1]  its channel, which has the same slot
-- ARGV[2]  envelope
-- Returns 'reachable', 'unreachable' or 'dead'. Nothing was published unless 'reachable'.
--- @include "instance-state"
local state = readState()
if state == 'reachable' then redis.call('SPUBLISH', ARGV[1], ARGV[2]) end
return state
