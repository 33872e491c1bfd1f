-- Whether an instance has neither a lease nor a subscription. An instance with either may only be reconnecting.
local function isDead(instance)
  return redis.call('EXISTS', 'relay:lease:' .. instance) == 0
    and redis.call('PUBSUB', 'NUMSUB', 'relay:to:' .. instance)[2] == 0
end
