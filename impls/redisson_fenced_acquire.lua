-- Takes the lock, or takes it once more, and draws the next fencing token in the same step.
-- KEYS[1] the lock; KEYS[2] the token counter; ARGV[1] the lease in ms; ARGV[2] the owner.
-- Replies {-1, token} if granted, else {rest of the holder's lease in ms, -1}.
if (redis.call('exists', KEYS[1]) == 0 or (redis.call('hexists', KEYS[1], ARGV[2]) == 1)) then
local token = redis.call('incr', KEYS[2]);
redis.call('hincrby', KEYS[1], ARGV[2], 1);
redis.call('pexpire', KEYS[1], ARGV[1]);
return {-1, token};
end;
return {redis.call('pttl', KEYS[1]), -1};
