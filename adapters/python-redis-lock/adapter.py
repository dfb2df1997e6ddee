"""The Lock of python-redis-lock. Its times are whole seconds, and unless it renews it refuses to
wait for longer than its lease, so that a longer wait is cut to the lease."""
import math

import lockbench
import redis_lock
import redispy


class PythonRedisLock:
    def __init__(self, config):
        self.client, self.held = redispy.connect(config), {}
        self.expire = config.ttl_ms and math.ceil(config.ttl_ms / 1000)
        self.renewal = bool(config.options.get("auto_renewal"))

    def acquire(self, n, keys, wait):
        lock = redis_lock.Lock(self.client, keys[0], expire=self.expire, auto_renewal=self.renewal)
        how = {"blocking": False} if wait == 0 else {"timeout": self.cut(wait)}
        if not lock.acquire(**how):
            raise lockbench.Refused("taken" if wait == 0 else "gave-up")
        self.held[n] = lock

    def cut(self, wait):
        if wait is None:
            return None
        wait = max(1, math.ceil(wait))
        return min(wait, self.expire) if self.expire and not self.renewal else wait

    def release(self, n):
        self.told(self.held.pop(n).release)

    def extend(self, n):
        self.told(self.held[n].extend)

    def told(self, call):
        try:
            call()
        except redis_lock.NotAcquired as e:
            raise lockbench.NotOwner("NotAcquired: %s" % e)


lockbench.run(PythonRedisLock, {"python-redis-lock": redis_lock.__version__,
                                "redis-py": redispy.redis.__version__})
