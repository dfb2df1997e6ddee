-- Gives back one hold, and the lock with the last one, and tells the waiting clients (D001 lines 736–748).
-- KEYS[1] the lock; KEYS[2] the channel; ARGV[1] the message; ARGV[2] the lease in ms; ARGV[3] the owner.
-- Replies nil if the owner does not hold it, 0 if it still does, 1 if the lock is free.
if (redis.call('hexists', KEYS[1], ARGV[3]) == 0) then
return nil;
end;
local counter = redis.call('hincrby', KEYS[1], ARGV[3], -1);
if (counter > 0) then
redis.call('pexpire', KEYS[1], ARGV[2]);
return 0;
else
redis.call('del', KEYS[1]);
redis.call('publish', KEYS[2], ARGV[1]);
return 1;
end;
return nil;
