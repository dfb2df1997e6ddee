"""A lock on one Redis: SET NX PX with a token, and a release that compares it.

Redis must not forget the key before its lease is over, as by a failover or an eviction. A holder
that is stopped for longer than its lease is not alone any more: have what it writes to refuse it.
"""
import secrets
import time
from typing import NamedTuple

DELETE = ("if redis.call('get', KEYS[1]) == ARGV[1] then "
          "return redis.call('del', KEYS[1]) end return 0")


class Taken(Exception):
    """Another has the lock."""


class NotOwner(Exception):
    """The lock was not held any more."""


class Hold(NamedTuple):
    key: str
    token: str
    until: float  # its lease ends then by time.monotonic(), and maybe a little later


def acquire(redis, key, lease_ms, wait, poll=0.05):
    """Try for wait seconds, each poll once; returns a Hold.

    The client should not send a command again by itself: the lock may find its own key then, and
    take it for another's.
    """
    end = time.monotonic() + wait
    while True:
        hold = attempt(redis, key, lease_ms)
        if hold:
            return hold
        if time.monotonic() + poll > end:
            raise Taken()
        time.sleep(poll)


def attempt(redis, key, lease_ms):
    """Ask once; returns a Hold or None. What an error or a late reply leaves is given back."""
    hold = Hold(key, secrets.token_hex(10), time.monotonic() + lease_ms / 1000)
    try:
        if not redis.set(key, hold.token, nx=True, px=lease_ms):
            return None
        if time.monotonic() < hold.until:
            return hold
    except Exception:
        give_back(redis, hold)
        raise
    give_back(redis, hold)
    return None


def give_back(redis, hold):
    try:
        release(redis, hold)
    except Exception:
        pass  # if this is lost, too, the lease ends it


def release(redis, hold):
    """Give the lock back. After an error it may be called again; the lease ends it in any case."""
    if not redis.eval(DELETE, 1, hold.key, hold.token):
        raise NotOwner()
