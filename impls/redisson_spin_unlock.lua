-- Gives back one hold, and the lock with the last one. It sends no message: a spin lock's clients do not listen.
-- KEYS[1] the lock; ARGV[1] the lease in ms; ARGV[2] the owner.
-- Replies nil if the owner does not hold it, 0 if it still does, 1 if the lock is free.
if (redis.call('hexists', KEYS[1], ARGV[2]) == 0) then
return nil;
end;
local counter = redis.call('hincrby', KEYS[1], ARGV[2], -1);
if (counter > 0) then
redis.call('pexpire', KEYS[1], ARGV[1]);
return 0;
else
redis.call('del', KEYS[1]);
return 1;
end;
