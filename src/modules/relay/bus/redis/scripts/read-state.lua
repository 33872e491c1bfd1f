-- Reads the state of an instance in a cluster.
--
-- KEYS[1]  lease of the instance
-- ARGV[1]  its channel, which has the same slot
-- Returns 'reachable', 'unreachable' or 'dead'.
--- @include "instance-state"
return readState()
