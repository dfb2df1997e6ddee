<?php
/**
 * The smallest lock that is right on one Redis: SET NX PX, then compare and delete.
 *
 * Readers are fields of a hash, whose lease each new one prolongs: a writer may wait for ever.
 */
require 'lockbench.php';

class Example
{
    const SHARE = "if redis.call('type', KEYS[1]).ok == 'string' then return 0 end
        redis.call('hset', KEYS[1], ARGV[1], 1)
        return redis.call('pexpire', KEYS[1], ARGV[2])";
    const DELETE = "if redis.call('type', KEYS[1]).ok == 'hash' then
        return redis.call('hdel', KEYS[1], ARGV[1]) end
        if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
        return 0";

    private Redis $redis;
    private int $ttl, $poll; // ms
    private array $held = [];

    function __construct(object $config)
    {
        $this->ttl = $config->ttl_ms ?? 10_000;
        $this->poll = $config->poll_ms ?? 100;
        $this->redis = new Redis();
        [$host, $port] = explode(':', $config->redis[0]);
        $timeout = ($config->client_timeout_ms ?? 0) / 1000; // 0: as php.ini has it
        $this->redis->connect($host, (int) $port, $timeout, null, 0, $timeout);
        if ($config->client_retries !== null) {
            $this->redis->setOption(Redis::OPT_MAX_RETRIES, $config->client_retries);
        }
    }

    function acquire(int $n, array $keys, ?float $wait)
    {
        $this->take($n, $keys[0], $wait, fn($token) => $this->redis->set(
            $keys[0], $token, ['nx', 'px' => $this->ttl]));
    }

    function acquireShared(int $n, array $keys, ?float $wait)
    {
        $this->take($n, $keys[0], $wait, fn($token) => $this->redis->eval(
            self::SHARE, [$keys[0], $token, $this->ttl], 1));
    }

    private function take(int $n, string $key, ?float $wait, callable $attempt): void
    {
        $until = hrtime(true) + ($wait ?? 0) * 1e9;
        $token = bin2hex(random_bytes(10));
        while (!$this->replied($attempt($token))) {
            if (hrtime(true) + $this->poll * 1e6 > $until) {
                throw new Lockbench\Refused($wait ? 'gave-up' : 'taken');
            }
            usleep($this->poll * 1000);
        }
        $this->held[$n] = [$key, $token];
    }

    function release(int $n)
    {
        $held = $this->held[$n];
        unset($this->held[$n]);
        if (!$this->replied($this->redis->eval(self::DELETE, $held, 1))) {
            throw new Lockbench\NotOwner('the key has another owner, or none');
        }
    }

    /** An error of the server is false, too, and not thrown. */
    private function replied($reply)
    {
        if ($reply === false && ($error = $this->redis->getLastError()) !== null) {
            $this->redis->clearLastError();
            throw new RedisException($error);
        }
        return $reply;
    }
}

Lockbench\run(fn($config) => new Example($config), ['phpredis' => phpversion('redis')]);
