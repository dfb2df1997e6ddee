// Redlock 5 of node-redlock: acquire and release, or its using(), which extends by itself.
'use strict'
const lockbench = require('lockbench')
const connect = require('connect-ioredis')
const { default: Redlock, ExecutionError, ResourceLockedError } = require('redlock')

lockbench.run(async (config) => {
  const clients = await connect(config)
  const ttl = config.ttl_ms || 10000 // acquire demands one
  const held = new Map()

  // The errors of the single votes come as events: with one instance for each acquisition they are
  // its own.
  function redlock () {
    const r = new Redlock(clients, lockbench.given({ retryDelay: config.poll_ms }))
    r.errors = []
    r.on('error', (e) => r.errors.push(e))
    return r
  }

  // tries: 10 more than one, which is the default, or as many as the wait allows; or without end.
  function tries (wait) {
    if (config.options.unlimited) return { retryCount: -1 }
    const delay = config.poll_ms || 200
    return wait == null ? {} : { retryCount: Math.min(10, Math.floor(wait / delay)) }
  }

  // definite: no quorum, and all that voted against it said that the key is another's, or gone.
  async function definite (r, call, error) {
    r.errors.length = 0
    try {
      return await call()
    } catch (e) {
      const all = r.errors.every((e) => e instanceof ResourceLockedError)
      throw e instanceof ExecutionError && all ? error(e) : e
    }
  }
  const notOwner = (e) => new lockbench.NotOwner(`ExecutionError: ${e.message}`)
  const until = (lock) => ({ valid_until: lockbench.untilDate(lock.expiration) })

  return {
    async acquire (n, keys, wait) {
      const r = redlock()
      const refused = () => new lockbench.Refused(wait === 0 ? 'taken' : 'gave-up')
      if (!config.options.using) {
        const lock = await definite(r, () => r.acquire(keys, ttl, tries(wait)), refused)
        held.set(n, { r, lock })
        return until(lock)
      }
      let release
      const untilReleased = new Promise((resolve) => { release = resolve })
      await definite(r, () => new Promise((resolve, reject) => {
        const done = r.using(keys, ttl, tries(wait), async (signal) => {
          signal.addEventListener('abort', () => lockbench.lost(n, 'cancelled'))
          resolve()
          await untilReleased
        })
        held.set(n, { r, release: () => { release(); return done } })
        done.catch(reject)
      }), refused)
    },
    async release (n) {
      const { r, lock, release } = held.get(n)
      await definite(r, () => lock ? lock.release() : release(), notOwner)
    },
    extend: config.options.using ? undefined : async (n) => {
      const { r, lock } = held.get(n)
      const extended = await definite(r, () => lock.extend(ttl), notOwner)
      held.set(n, { r, lock: extended })
      return until(extended)
    }
  }
}, lockbench.versions('redlock', 'ioredis'))
