"""The Lock of redis-py in the version of requirements.txt. Connect and lock as your program does."""
import lockbench
import redis
from redis.exceptions import LockNotOwnedError


class OurRedisPy:
    def __init__(self, config):
        host, port = config.redis[0].rsplit(":", 1)
        self.client, self.ttl, self.held = redis.Redis(host, int(port)), config.ttl_ms / 1000, {}
        self.client.ping()

    def acquire(self, n, keys, wait):
        lock = self.client.lock(keys[0], timeout=self.ttl, blocking_timeout=wait)
        if not lock.acquire():
            raise lockbench.Refused("gave-up")
        self.held[n] = lock

    def release(self, n):
        try:
            self.held.pop(n).release()
        except LockNotOwnedError as e:
            raise lockbench.NotOwner(str(e))


lockbench.run(OurRedisPy, {"redis-py": redis.__version__})
