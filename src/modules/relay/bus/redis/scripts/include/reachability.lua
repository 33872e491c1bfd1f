-- Expects the locals `capability` and `signedOnly`, and the presence hash in KEYS[1].
-- Counts in `pruned` the removed entries of dead instances. Sets `missed` if the instance of an entry is not dead.
--- @include "is-dead"
local pruned, missed = 0, false

local function hasCapability(entry)
  for _, each in ipairs(entry.capabilities) do if each == capability then return true end end
  return false
end

-- Whether a call can be sent to the device. Removes the entry of a dead instance. Skips an instance that may only be
-- reconnecting, and one of the previous release, which does not sign envelopes, unless unsigned ones are accepted.
local function isReachable(deviceId, entry)
  if isDead(entry.instance) then
    redis.call('HDEL', KEYS[1], deviceId)
    pruned = pruned + 1
    return false
  end
  missed = true
  if signedOnly and entry.signed ~= true then return false end
  if redis.call('EXISTS', 'relay:lease:' .. entry.instance) == 0 then return false end
  -- Checked before the publish instead of counting its receivers: a message that has no subscriber on this server may
  -- still reach one through a replica.
  return redis.call('PUBSUB', 'NUMSUB', 'relay:to:' .. entry.instance)[2] > 0
end
