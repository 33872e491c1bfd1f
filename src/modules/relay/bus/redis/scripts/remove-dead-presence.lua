-- Removes the presence entry of a connection of an instance that was declared dead. Does nothing if it has a lease.
--
-- KEYS[1]  presence hash of the account
-- ARGV[1]  device id
-- ARGV[2]  epoch of the connection
-- ARGV[3]  id of the dead instance
-- Returns 1 if the entry was removed, else 0.
if redis.call('EXISTS', 'relay:lease:' .. ARGV[3]) == 1 then return 0 end
--- @include "remove-presence"
