"""A client of redis-py as config says; what config does not give stays redis-py's default."""
import redis
from redis.backoff import ExponentialWithJitterBackoff
from redis.retry import Retry
from redis.sentinel import Sentinel


def connect(config, address=None):
    """A connected client of the Redis at address, of the only one, or of the Sentinels' master."""
    given = {}
    if config.client_timeout_ms is not None:
        seconds = config.client_timeout_ms / 1000
        given.update(socket_timeout=seconds, socket_connect_timeout=seconds)
    if config.client_retries is not None:
        given["retry"] = Retry(ExponentialWithJitterBackoff(base=1, cap=10), config.client_retries)
    if config.sentinels:
        sentinels = [_host_port(s) for s in config.sentinels]
        client = Sentinel(sentinels, **given).master_for(config.master)
    else:
        host, port = _host_port(address or config.redis[0])
        client = redis.Redis(host=host, port=port, **given)
    client.ping()
    return client


def _host_port(address):
    host, _, port = address.rpartition(":")
    return host, int(port)
