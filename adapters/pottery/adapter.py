"""Redlock of pottery, over one master or several. It returns False for a lock that is taken and for
masters that do not answer alike, so that a refusal is "gave-up", never "taken"."""
from importlib.metadata import version

import lockbench
import redispy
from pottery import ExtendUnlockedLock, Redlock, ReleaseUnlockedLock


class Pottery:
    def __init__(self, config):
        self.held = {}
        self.given = {"masters": {redispy.connect(config, address) for address in config.redis}}
        if config.ttl_ms is not None:
            self.given["auto_release_time"] = config.ttl_ms / 1000
        if config.options.get("raises"):
            self.given["raise_on_redis_errors"] = True

    def acquire(self, n, keys, wait):
        lock = Redlock(key=keys[0], **self.given)
        how = {"blocking": False} if wait == 0 else {"timeout": -1 if wait is None else wait}
        if not lock.acquire(**how):
            raise lockbench.Refused("gave-up")
        self.held[n] = lock

    def release(self, n):
        self.told(self.held.pop(n).release)

    def extend(self, n):
        self.told(self.held[n].extend)

    def told(self, call):
        try:
            call()
        except (ReleaseUnlockedLock, ExtendUnlockedLock) as e:
            raise lockbench.NotOwner("%s: %s" % (type(e).__name__, e))


lockbench.run(Pottery, {"pottery": version("pottery"), "redis-py": redispy.redis.__version__})
