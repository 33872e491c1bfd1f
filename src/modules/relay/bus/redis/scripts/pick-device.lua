-- Picks the first candidate that is reachable and has the capability, and removes entries of dead instances.
--
-- KEYS[1]  presence hash of the account
-- ARGV[1]  candidates as a JSON array of {"deviceId": string} or {"newest": "account"}, in order of preference
-- ARGV[2]  capability
-- ARGV[3]  '1' to pick only devices whose instance signs envelopes
-- Returns {'picked', pruned, deviceId}, {'unreachable', pruned} or {'offline', pruned}.
-- `pruned` counts the removed entries.
local capability, signedOnly = ARGV[2], ARGV[3] == '1'
--- @include "reachability"

-- Returns the account devices that have the capability, the newest connection first.
local function findAccountDevices()
  local found = {}
  local all = redis.call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do
    local entry = cjson.decode(all[i + 1])
    if entry.kind == 'account' and hasCapability(entry) then found[#found + 1] = {all[i], entry} end
  end
  table.sort(found, function(a, b) return a[2].epoch > b[2].epoch end)
  return found
end

for _, candidate in ipairs(cjson.decode(ARGV[1])) do
  local found = {}
  if candidate.newest then
    found = findAccountDevices()
  else
    local current = redis.call('HGET', KEYS[1], candidate.deviceId)
    if current then found = {{candidate.deviceId, cjson.decode(current)}} end
  end
  for _, each in ipairs(found) do
    if hasCapability(each[2]) and isReachable(each[1], each[2]) then return {'picked', pruned, each[1]} end
  end
end
return {missed and 'unreachable' or 'offline', pruned}
