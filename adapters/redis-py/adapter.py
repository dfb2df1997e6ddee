"""The Lock that redis-py brings along: redis.Redis.lock()."""
import lockbench
import redis
import redis.backoff

if not hasattr(redis.backoff, "ExponentialWithJitterBackoff"):  # redis-py before 5.3
    redis.backoff.ExponentialWithJitterBackoff = redis.backoff.ExponentialBackoff
import redispy
from redis.exceptions import LockNotOwnedError


class RedisPy:
    def __init__(self, config):
        self.client, self.held = redispy.connect(config), {}
        self.ttl = config.ttl_ms and config.ttl_ms / 1000
        self.given = {} if config.poll_ms is None else {"sleep": config.poll_ms / 1000}

    def acquire(self, n, keys, wait):
        lock = self.client.lock(keys[0], timeout=self.ttl, blocking=wait != 0,
                                blocking_timeout=wait, **self.given)
        if not lock.acquire():
            raise lockbench.Refused("taken" if wait == 0 else "gave-up")
        self.held[n] = lock

    def release(self, n):
        try:
            self.held.pop(n).release()
        except LockNotOwnedError as e:
            raise lockbench.NotOwner("LockNotOwnedError: %s" % e)

    def extend(self, n):
        try:
            self.held[n].extend(self.ttl, replace_ttl=True)
        except LockNotOwnedError as e:
            raise lockbench.NotOwner("LockNotOwnedError: %s" % e)


lockbench.run(RedisPy, {"redis-py": redis.__version__})
