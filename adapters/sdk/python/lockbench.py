"""Lockbench's protocol for a lock in Python. One file, no dependency.

    import lockbench

    class MyLock:
        def __init__(self, config): ...       # connect; write no key
        def acquire(self, n, keys, wait): ... # seconds; 0: one try; None: as the library has it
        def release(self, n): ...
        def extend(self, n): ...              # if the lock can; may return {"valid_until": ns}
        def acquire_shared(self, n, keys, wait): ...  # of a lock that declares a shared mode

The methods may be coroutines: async def acquire(self, n, keys, wait).

    lockbench.run(MyLock, {"my-library": "1.2.3"})

acquire returns None or {"valid_until": ns, "token": 7}, with the clock of time.monotonic_ns, or
raises Refused. release and extend raise NotOwner if the library says that the hold was over. Any
other exception means that the outcome is unknown. n names an acquisition; with a re-entrant lock n=2
is acquired while n=1 is held. Orders are carried out one after another by an owner thread: one that
is kept, or with the option {"owner": "new-thread"} a new one whenever nothing is held.

A client may give up a call. A coroutine is cancelled then, and may end with CancelledError; another
lock has a method cancel(n), and its acquire raises Cancelled. Either says that it holds nothing.
"""
import asyncio
import json
import os
import queue
import sys
import threading
import time
import types

PROTOCOL = 1
TICK, LATE = 10_000_000, 20_000_000  # ns: the ticker's period, and how late it is a gap


class Refused(Exception):
    """The lock was not acquired, for sure. why: taken (the library said so after replies that left
    no doubt), gave-up (it waited in vain), unreachable, server-refused, cancelled."""

    def __init__(self, why):
        super().__init__(why)
        self.why = why


class NotOwner(Exception):
    """The library told its holder that the hold was over before."""


class Cancelled(Refused):
    """The client gave up the call, and the lock was not acquired, for sure."""

    def __init__(self):
        super().__init__("cancelled")


def lost(n, by):
    """Says unasked that the library told its holder that hold n is over, and how: callback, ..."""
    _say("lost", n=n, t=time.monotonic_ns(), by=by)


def run(make, versions):
    """Speaks the protocol until stdin ends. make(config) makes the lock; versions are reported."""
    try:
        _carry_out(make, versions)
    except Exception as e:
        _say("broken", err=_text(e))
        os._exit(1)


def _carry_out(make, versions):
    orders = _orders()
    config = next(orders)
    lock = make(_config(config))
    owner = _Owner(lock, config.get("options", {}).get("owner") == "new-thread")
    _say("ready", pid=os.getpid(), versions={**versions, "python": sys.version.split()[0]})
    if "LOCKBENCH_PAGE" not in os.environ:  # virtual time has no gaps
        threading.Thread(target=_watch, daemon=True).start()
    for order in orders:
        if order["do"] == "touch":
            _say("touched", n=order["n"], t=time.monotonic_ns())
        elif order["do"] == "stop":
            getattr(lock, "stop", lambda: None)()
        elif order["do"] == "cancel":
            owner.cancel(order["n"])
        elif order["do"] in ("acquire", "release", "extend"):
            owner.give(order)
        else:
            _say("unsupported", op=order["do"])


class _Owner:
    """The thread that acquires and releases."""

    def __init__(self, lock, new_threads):
        self.lock, self.new_threads = lock, new_threads
        self.orders, self.holds = None, set()
        self.tasks = {}  # of coroutines that are under way, by n
        self.loop = _start_loop() if asyncio.iscoroutinefunction(lock.acquire) else None

    def give(self, order):
        # Holds are counted when orders are given, so that an inner acquisition meets its owner.
        if self.orders is None or (self.new_threads and not self.holds):
            if self.orders is not None:
                self.orders.put(None)
            self.orders = queue.Queue()
            threading.Thread(target=self.work, args=(self.orders,), daemon=True).start()
        if order["do"] == "acquire":
            self.holds.add(order["n"])
        self.orders.put(order)

    def work(self, orders):
        for order in iter(orders.get, None):
            op, n = order["do"], order["n"]
            _say("begun", n=n, op=op, t=time.monotonic_ns())
            answer = self.carry_out(op, n, order)
            if op != "extend" and answer.get("is") != "acquired":
                self.holds.discard(n)
            _say(answer.pop("is"), n=n, t=time.monotonic_ns(), **answer)

    def cancel(self, n):
        if hasattr(self.lock, "cancel"):
            self.lock.cancel(n)
        elif self.loop:
            self.loop.call_soon_threadsafe(lambda: n in self.tasks and self.tasks[n].cancel())
        else:
            _say("unsupported", op="cancel")

    def call(self, n, method, *args):
        if not self.loop:
            return method(*args)
        return asyncio.run_coroutine_threadsafe(self.run(n, method, *args), self.loop).result()

    async def run(self, n, method, *args):
        self.tasks[n] = asyncio.ensure_future(method(*args))
        try:
            return await self.tasks[n]
        except asyncio.CancelledError:
            raise Cancelled
        finally:
            del self.tasks[n]

    def carry_out(self, op, n, order):
        try:
            if op == "acquire":
                wait = order.get("wait_ms")
                shared = order.get("mode") == "shared"
                acquire = self.lock.acquire_shared if shared else self.lock.acquire
                grant = self.call(n, acquire, n, order["keys"], None if wait is None else wait / 1000)
                return {"is": "acquired", **(grant or {})}
            if not hasattr(self.lock, op):
                return {"is": "failed", "err": "this lock has no " + op}
            said = self.call(n, getattr(self.lock, op), n)
            return {"is": op + ("d" if op == "release" else "ed"), **(said or {})}
        except Refused as e:
            if op == "acquire":
                return {"is": "refused", "why": e.why}
            return {"is": "failed", "err": _text(e)}
        except NotOwner as e:
            return {"is": "not_owner", "err": str(e)[:300]}
        except Exception as e:
            return {"is": "failed", "err": _text(e)}


def _start_loop():
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return loop


def _config(c):
    """The config order as an object; what is absent is None: the library's own default."""
    if c.get("protocol") != PROTOCOL:
        raise ValueError("this adapter speaks protocol 1, not %r" % c.get("protocol"))
    absent = dict.fromkeys(("sentinels", "master", "ttl_ms", "poll_ms", "client_timeout_ms",
                            "client_retries"))
    return types.SimpleNamespace(**{"redis": [], "options": {}, **absent, **c})


def _orders():
    for line in sys.stdin:
        yield json.loads(line)
    os._exit(0)  # the harness is gone: an acquire under way ends, too


def _watch():
    """Reports when the process did not run."""
    last = time.monotonic_ns()
    while True:
        time.sleep(TICK / 1e9)
        now = time.monotonic_ns()
        if now - last - TICK > LATE:
            _say("gap", t=now, ns=now - last - TICK)
        last = now


# Only answers go to stdout: what a library prints goes to stderr.
_out = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)
_out_lock = threading.Lock()


def _say(kind, **fields):
    with _out_lock:
        try:
            _out.write(json.dumps({"is": kind, **fields}) + "\n")
            _out.flush()
        except OSError:
            os._exit(0)


def _text(e):
    return ("%s: %s" % (type(e).__name__, e))[:300]
