-- Returns the ids of the instances that have connections of the account, each once.
--
-- KEYS[1]  presence hash of the account
local listed, instances = {}, {}
for _, current in ipairs(redis.call('HVALS', KEYS[1])) do
  local instance = cjson.decode(current).instance
  if not listed[instance] then
    listed[instance] = true
    instances[#instances + 1] = instance
  end
end
return instances
