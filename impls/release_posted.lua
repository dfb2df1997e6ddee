-- Deletes the lock if it still holds the caller's value, letter by letter as posted (D004 line 75).
-- KEYS[1] the lock; KEYS[2] the owner value. Replies 1 if it was deleted, else 0.
if redis.call('get', KEYS[1]) == KEYS[2] then return redis.call('del', KEYS[1]) else return 0 end
