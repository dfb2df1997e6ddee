-- Begins a new lease if the owner still holds the lock (D001 lines 685–689).
-- KEYS[1] the lock; ARGV[1] the lease in ms; ARGV[2] the owner. Replies 1 if renewed, else 0.
if (redis.call('hexists', KEYS[1], ARGV[2]) == 1) then
redis.call('pexpire', KEYS[1], ARGV[1]);
return 1;
end;
return 0;
