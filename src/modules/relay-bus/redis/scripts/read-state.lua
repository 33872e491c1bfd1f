-- Reads the state of an instance.
--
-- KEYS[1]  lease of the instance
-- ARGV[1]  its channel, which has the same slot
-- ARGV[2]  'NUMSUB', or 'SHARDNUMSUB' in a cluster
-- Returns 'reachable', 'unreachable' or 'dead'.
--- @include "instance-state"
return readState()
