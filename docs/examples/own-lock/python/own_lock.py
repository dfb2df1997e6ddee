"""A lock on one Redis: SET NX PX with a token, and a release that compares it."""
import secrets
import time

DELETE = ("if redis.call('get', KEYS[1]) == ARGV[1] then "
          "return redis.call('del', KEYS[1]) end return 0")


class Taken(Exception):
    """Another has the lock."""


class NotOwner(Exception):
    """The lock was not held any more."""


def acquire(redis, key, lease_ms, wait, poll=0.05):
    """Try for wait seconds, each poll once; returns what release wants."""
    until = time.monotonic() + wait
    while True:
        token = secrets.token_hex(10)
        if redis.set(key, token, nx=True, px=lease_ms):
            return key, token
        if time.monotonic() + poll > until:
            raise Taken()
        time.sleep(poll)


def release(redis, held):
    key, token = held
    if not redis.eval(DELETE, 1, key, token):
        raise NotOwner()
