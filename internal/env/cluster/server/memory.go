package server

import "github.com/redis/go-redis/v9"

// Flush deletes all keys of the node.
func (c Admin) Flush() error {
	ctx, cancel := background()
	defer cancel()
	return c.FlushAll(ctx).Err()
}

// ForgetScripts makes the node forget the scripts that it was sent.
func (c Admin) ForgetScripts() error {
	ctx, cancel := background()
	defer cancel()
	return c.ScriptFlush(ctx).Err()
}

// BoundMemory sets the memory that the node may use, and how it evicts keys then.
func (c Admin) BoundMemory(size, eviction string) error {
	ctx, cancel := background()
	defer cancel()
	return c.Do(ctx, "CONFIG", "SET", "maxmemory", size, "maxmemory-policy", eviction).Err()
}

// Full reports whether the node refuses a write for lack of memory.
func (c Admin) Full() bool {
	ctx, cancel := background()
	defer cancel()
	err := c.SetArgs(ctx, "lockbench:full", 1, redis.SetArgs{Mode: "XX"}).Err()
	return redis.IsOOMError(err)
}
