"""The smallest lock that is right on one Redis: SET NX PX, then compare and delete."""
import secrets
import time

import lockbench
import redis
import redispy

DELETE = ("if redis.call('get', KEYS[1]) == ARGV[1] then "
          "return redis.call('del', KEYS[1]) end return 0")


class Example:
    def __init__(self, config):
        self.redis = redispy.connect(config)
        self.ttl, self.poll = config.ttl_ms or 10_000, (config.poll_ms or 100) / 1000
        self.held = {}

    def acquire(self, n, keys, wait):
        until, token = time.monotonic() + (wait or 0), secrets.token_hex(10)
        while not self.redis.set(keys[0], token, nx=True, px=self.ttl):
            if time.monotonic() + self.poll > until:
                raise lockbench.Refused("gave-up" if wait else "taken")
            time.sleep(self.poll)
        self.held[n] = keys[0], token

    def release(self, n):
        key, token = self.held.pop(n)
        if not self.redis.eval(DELETE, 1, key, token):
            raise lockbench.NotOwner("the key has another owner, or none")


lockbench.run(Example, {"redis-py": redis.__version__})
