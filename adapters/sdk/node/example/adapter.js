// The smallest lock that is right on one Redis: SET NX PX, then compare and delete.
'use strict'
const { randomBytes } = require('crypto')
const lockbench = require('lockbench')
const connect = require('connect-ioredis')

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const DELETE = "if redis.call('get', KEYS[1]) == ARGV[1] then " +
  "return redis.call('del', KEYS[1]) end return 0"

lockbench.run(async (config) => {
  const [redis] = await connect(config)
  const held = new Map()
  const { ttl_ms: ttl = 10000, poll_ms: poll = 100 } = config
  return {
    async acquire (n, [key], wait = 0) {
      const end = Date.now() + wait
      const token = randomBytes(10).toString('hex')
      while (!await redis.set(key, token, 'PX', ttl, 'NX')) {
        if (Date.now() + poll > end) throw new lockbench.Refused(wait ? 'gave-up' : 'taken')
        await sleep(poll)
      }
      held.set(n, [key, token])
    },
    async release (n) {
      if (!await redis.eval(DELETE, 1, ...held.get(n))) {
        throw new lockbench.NotOwner('the key has another owner, or none')
      }
    }
  }
}, lockbench.versions('ioredis'))
