"""The adapter: lockbench asks it to acquire and release the lock of this repository."""
import lockbench
import own_lock
import redis
import redispy


class OwnLock:
    def __init__(self, config):
        self.redis, self.lease, self.held = redispy.connect(config), config.ttl_ms, {}

    def acquire(self, n, keys, wait):
        try:
            hold = own_lock.acquire(self.redis, keys[0], self.lease, wait or 0)
        except own_lock.Taken:
            raise lockbench.Refused("gave-up")
        self.held[n] = hold
        return {"valid_until": int(hold.until * 1e9)}

    def release(self, n):
        try:
            own_lock.release(self.redis, self.held.pop(n))
        except own_lock.NotOwner as e:
            raise lockbench.NotOwner(str(e))


lockbench.run(OwnLock, {"redis-py": redis.__version__})
