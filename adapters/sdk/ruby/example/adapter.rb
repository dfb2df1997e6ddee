# The smallest lock that is right on one Redis: SET NX PX, then compare and delete.
#
# Readers are fields of a hash, whose lease each new one prolongs: a writer may wait for ever.
require "securerandom"
require "lockbench"
require "redis"

class Example
  SHARE = <<~LUA
    if redis.call('type', KEYS[1]).ok == 'string' then return 0 end
    redis.call('hset', KEYS[1], ARGV[1], 1)
    return redis.call('pexpire', KEYS[1], ARGV[2])
  LUA
  DELETE = <<~LUA
    if redis.call('type', KEYS[1]).ok == 'hash' then
    return redis.call('hdel', KEYS[1], ARGV[1]) end
    if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
    return 0
  LUA

  def initialize(config)
    @redis = connect(config)
    @ttl, @poll = config.ttl_ms || 10_000, (config.poll_ms || 100) / 1000.0
    @held = {}
  end

  def acquire(n, keys, wait)
    take(n, keys[0], wait) { |token| @redis.set(keys[0], token, nx: true, px: @ttl) }
  end

  def acquire_shared(n, keys, wait)
    take(n, keys[0], wait) { |token| @redis.eval(SHARE, [keys[0]], [token, @ttl]) == 1 }
  end

  def release(n)
    key, token = @held.delete(n)
    return if @redis.eval(DELETE, [key], [token]) == 1
    raise Lockbench::NotOwner, "the key has another owner, or none"
  end

  private

  def take(n, key, wait)
    till, token = Lockbench.now + (wait || 0) * 1e9, SecureRandom.hex(10)
    until yield token
      why = wait.to_f > 0 ? "gave-up" : "taken"
      raise Lockbench::Refused, why if Lockbench.now + @poll * 1e9 > till
      sleep(@poll)
    end
    @held[n] = key, token
  end

  def connect(config)
    host, port = config.redis[0].split(":")
    options = { host: host, port: port.to_i }
    options[:timeout] = config.client_timeout_ms / 1000.0 if config.client_timeout_ms
    options[:reconnect_attempts] = config.client_retries if config.client_retries
    Redis.new(**options).tap(&:ping)
  end
end

Lockbench.run("redis-rb" => Redis::VERSION) { |config| Example.new(config) }
