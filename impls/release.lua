-- Deletes the lock if it still holds the caller's value (D003 §5, D004 §2.3).
-- KEYS[1] the lock; ARGV[1] the owner value. Replies 1 if it was deleted, else 0.
if redis.call('get', KEYS[1]) == ARGV[1] then
  return redis.call('del', KEYS[1])
else
  return 0
end
