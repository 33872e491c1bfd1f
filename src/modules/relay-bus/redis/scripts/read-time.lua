-- Reads the time of the node that has the slot of a key.
--
-- KEYS[1]  the key, which need not exist
-- Returns {time in s, its microseconds}.
return redis.call('TIME')
