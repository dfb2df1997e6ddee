// The smallest lock that is right on one Redis: SET NX PX, then compare and delete. Readers are
// fields of a hash, whose lease each new one prolongs: a writer may wait for ever.
'use strict'
const { randomBytes } = require('crypto')
const lockbench = require('lockbench')
const connect = require('connect-ioredis')

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const SHARE = `if redis.call('type', KEYS[1]).ok == 'string' then return 0 end
  redis.call('hset', KEYS[1], ARGV[1], 1)
  return redis.call('pexpire', KEYS[1], ARGV[2])`
const DELETE = `if redis.call('type', KEYS[1]).ok == 'hash' then
  return redis.call('hdel', KEYS[1], ARGV[1]) end
  if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
  return 0`

lockbench.run(async (config) => {
  const [redis] = await connect(config)
  const held = new Map()
  const { ttl_ms: ttl = 10000, poll_ms: poll = 100 } = config
  const take = async (n, key, wait, attempt) => {
    const end = Date.now() + wait
    const token = randomBytes(10).toString('hex')
    while (!await attempt(token)) {
      if (Date.now() + poll > end) throw new lockbench.Refused(wait ? 'gave-up' : 'taken')
      await sleep(poll)
    }
    held.set(n, [key, token])
  }
  return {
    acquire: (n, [key], wait = 0) =>
      take(n, key, wait, (token) => redis.set(key, token, 'PX', ttl, 'NX')),
    acquireShared: (n, [key], wait = 0) =>
      take(n, key, wait, (token) => redis.eval(SHARE, 1, key, token, ttl)),
    async release (n) {
      if (!await redis.eval(DELETE, 1, ...held.get(n))) {
        throw new lockbench.NotOwner('the key has another owner, or none')
      }
    }
  }
}, lockbench.versions('ioredis'))
