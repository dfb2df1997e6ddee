-- Takes the lock, or takes it once more (D001 lines 499–509).
-- KEYS[1] the lock; ARGV[1] the lease in ms; ARGV[2] the owner. Replies nil if granted, else the rest of the holder's lease in ms.
if (redis.call('exists', KEYS[1]) == 0) then
redis.call('hincrby', KEYS[1], ARGV[2], 1);
redis.call('pexpire', KEYS[1], ARGV[1]);
return nil;
end;
if (redis.call('hexists', KEYS[1], ARGV[2]) == 1) then
redis.call('hincrby', KEYS[1], ARGV[2], 1);
redis.call('pexpire', KEYS[1], ARGV[1]);
return nil;
end;
return redis.call('pttl', KEYS[1]);
