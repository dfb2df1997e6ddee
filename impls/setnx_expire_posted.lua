-- SETNX and EXPIRE in one step, letter by letter as posted (D004 line 45).
-- KEYS[1] the lock; KEYS[2] the owner value; ARGV[1] the lock again; ARGV[2] the lease in seconds. Replies 1 if granted, else 0.
if redis.call('setnx', KEYS[1], KEYS[2]) == 1 then return redis.call('expire', ARGV[1], ARGV[2]) else return 0 end
