-- SETNX and EXPIRE in one step (D004 §1.3, with the key as key and the value as argument).
-- KEYS[1] the lock; ARGV[1] the owner value; ARGV[2] the lease in seconds. Replies 1 if granted, else 0.
if redis.call('setnx', KEYS[1], ARGV[1]) == 1 then
  return redis.call('expire', KEYS[1], ARGV[2])
else
  return 0
end
