// Redlock 4 of node-redlock, which many still use.
'use strict'
const lockbench = require('lockbench')
const connect = require('connect-ioredis')
const Redlock = require('redlock')

lockbench.run(async (config) => {
  const clients = await connect(config)
  const ttl = config.ttl_ms || 10000 // lock demands one
  const held = new Map()

  // Errors of single servers come as events: with an instance for each acquisition they are its
  // own. retryCount is 10 by default; an acquire's is what its wait allows, and 0 can only be given
  // to an instance.
  function redlock (wait) {
    const delay = config.poll_ms || 200
    const r = new Redlock(clients, lockbench.given({
      retryDelay: config.poll_ms,
      retryCount: wait == null ? null : Math.min(10, Math.floor(wait / delay))
    }))
    r.errors = []
    r.on('clientError', (e) => r.errors.push(e))
    return r
  }

  // definite: no quorum, though all servers answered.
  async function definite (r, call, error) {
    r.errors.length = 0
    try {
      return await call()
    } catch (e) {
      throw e instanceof Redlock.LockError && r.errors.length === 0 ? error(e) : e
    }
  }
  const notOwner = (e) => new lockbench.NotOwner(`LockError: ${e.message}`)
  const until = (lock) => ({ valid_until: lockbench.untilDate(lock.expiration) })

  return {
    async acquire (n, keys, wait) {
      const r = redlock(wait)
      const lock = await definite(r, () => r.lock(keys, ttl),
        () => new lockbench.Refused(wait === 0 ? 'taken' : 'gave-up'))
      held.set(n, { r: redlock(), lock })
      return until(lock)
    },
    async release (n) {
      const { r, lock } = held.get(n)
      await definite(r, () => r.unlock(lock), notOwner)
    },
    async extend (n) {
      const { r, lock } = held.get(n)
      return until(await definite(r, () => r.extend(lock, ttl), notOwner))
    }
  }
}, lockbench.versions('redlock', 'ioredis'))
