-- Begins a new lease if the lock still holds the caller's value.
-- KEYS[1] the lock; ARGV[1] the owner value; ARGV[2] the lease in ms. Replies 1 if extended, else 0.
if redis.call('get', KEYS[1]) == ARGV[1] then
  return redis.call('pexpire', KEYS[1], ARGV[2])
else
  return 0
end
