"""The smallest lock that is right on one Redis: SET NX PX, then compare and delete.

Readers are fields of a hash, whose lease each new one prolongs: a writer may wait for ever.
"""
import secrets
import time

import lockbench
import redis
import redispy

SHARE = """if redis.call('type', KEYS[1]).ok == 'string' then return 0 end
    redis.call('hset', KEYS[1], ARGV[1], 1)
    return redis.call('pexpire', KEYS[1], ARGV[2])"""
DELETE = """if redis.call('type', KEYS[1]).ok == 'hash' then
    return redis.call('hdel', KEYS[1], ARGV[1]) end
    if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
    return 0"""


class Example:
    def __init__(self, config):
        self.redis = redispy.connect(config)
        self.ttl, self.poll = config.ttl_ms or 10_000, (config.poll_ms or 100) / 1000
        self.held = {}

    def acquire(self, n, keys, wait):
        self.take(n, keys[0], wait, lambda token: self.redis.set(
            keys[0], token, nx=True, px=self.ttl))

    def acquire_shared(self, n, keys, wait):
        self.take(n, keys[0], wait, lambda token: self.redis.eval(
            SHARE, 1, keys[0], token, self.ttl))

    def take(self, n, key, wait, attempt):
        until, token = time.monotonic() + (wait or 0), secrets.token_hex(10)
        while not attempt(token):
            if time.monotonic() + self.poll > until:
                raise lockbench.Refused("gave-up" if wait else "taken")
            time.sleep(self.poll)
        self.held[n] = key, token

    def release(self, n):
        key, token = self.held.pop(n)
        if not self.redis.eval(DELETE, 1, key, token):
            raise lockbench.NotOwner("the key has another owner, or none")


lockbench.run(Example, {"redis-py": redis.__version__})
