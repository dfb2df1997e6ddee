"""A lock that runs another program at its start, which does not load the shim: its environment is
empty."""
import secrets, socket, subprocess, time, lockbench

GIVE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"


class Starting:
    def __init__(self, config):
        subprocess.run(["/bin/sleep", "0.2"], env={})
        host, port = config.redis[0].rsplit(":", 1)
        self.file = socket.create_connection((host, int(port))).makefile("rwb")
        self.ttl, self.held = config.ttl_ms, {}

    def ask(self, *words):
        words = [str(w).encode() for w in words]
        self.file.write(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
        self.file.flush()
        return self.file.readline()

    def acquire(self, n, keys, wait):
        end, token = time.monotonic() + wait, secrets.token_hex(8)
        while self.ask("SET", keys[0], token, "NX", "PX", self.ttl) != b"+OK\r\n":
            if time.monotonic() + 0.02 > end:
                raise lockbench.Refused("gave-up")
            time.sleep(0.02)
        self.held[n] = keys[0], token

    def release(self, n):
        key, token = self.held.pop(n)
        if self.ask("EVAL", GIVE, 1, key, token) != b":1\r\n":
            raise lockbench.NotOwner("the key is another's")


lockbench.run(Starting, {"starting": "1.0"})
