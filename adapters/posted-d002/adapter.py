"""The lock that D002 posts: SETNX of a time, GETSET once it is past. D002 quotes the class Lock of
redis-py 2.9.1 letter for letter, so the class is used from there. Its acquire tries once or waits
for ever; a wait with an end is made here of single tries at the lock's own distance."""
import time

import lockbench
import redis


class PostedD002:
    def __init__(self, config):
        host, _, port = config.redis[0].rpartition(":")
        seconds = config.client_timeout_ms and config.client_timeout_ms / 1000
        self.client, self.held = redis.StrictRedis(host, int(port), socket_timeout=seconds), {}
        self.client.ping()
        self.ttl = config.ttl_ms and config.ttl_ms / 1000
        self.given = {} if config.poll_ms is None else {"sleep": config.poll_ms / 1000}

    def acquire(self, n, keys, wait):
        lock = redis.client.Lock(self.client, keys[0], timeout=self.ttl, **self.given)
        end = time.monotonic() + (wait or 0)
        while not lock.acquire(blocking=wait is None):
            if time.monotonic() + lock.sleep > end:
                raise lockbench.Refused("gave-up" if wait else "taken")
            time.sleep(lock.sleep)
        self.held[n] = lock

    def release(self, n):
        self.held.pop(n).release()  # it says nothing of a hold that was over


lockbench.run(PostedD002, {"redis-py": redis.__version__})
