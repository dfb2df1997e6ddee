// Lockbench's protocol for a lock in Node. One file, no dependency.
//
//   const lockbench = require('lockbench')
//
//   lockbench.run(async (config) => ({        // connect; write no key
//     async acquire (n, keys, wait) { ... },  // ms; 0: one try; undefined: as the library has it
//     async release (n) { ... },
//     async extend (n) { ... },               // if the lock can
//     async acquireShared (n, keys, wait) { ... } // of a lock that declares a shared mode
//     // each also gets an AbortSignal, as its last argument: the client gives up the call
//   }), lockbench.versions('my-library'))
//
// acquire and extend may return { valid_until, token }; lockbench.untilDate(ms) makes a valid_until
// of a time of Date.now. acquire throws Refused if surely nothing was acquired; release and extend
// throw NotOwner if the library says that the hold was over. An acquire that throws the signal's
// reason is taken to hold nothing. Any other exception means that the outcome is unknown. n names an acquisition; with a re-entrant lock n=2 is acquired while n=1 is
// held. Orders are carried out as they come. A rejection without a handler ends the process, as in
// any program: that, too, is what a library does to its user.
'use strict'
const fs = require('fs')
const path = require('path')

const PROTOCOL = 1
const TICK = 10e6 // ns: the ticker's period,
const LATE = 20e6 // and how late it is a gap

// Refused: why is taken (the library said so after replies that left no doubt), gave-up (it waited
// in vain), unreachable or server-refused.
class Refused extends Error {
  constructor (why) {
    super(why)
    this.why = why
  }
}

class NotOwner extends Error {}

// lost says unasked that the library told its holder that hold n is over, and how: callback, ...
function lost (n, by) {
  say({ is: 'lost', n, t: now(), by })
}

// run speaks the protocol until stdin ends, which ends the process. make(config) makes the lock.
function run (make, versions) {
  let lock
  const carryOut = async (o) => {
    if (!lock) {
      lock = await make(check(o))
      say({ is: 'ready', pid: process.pid, versions: { ...versions, node: process.versions.node } })
      if (!process.env.LOCKBENCH_PAGE) watch() // virtual time has no gaps
      return
    }
    switch (o.do) {
      case 'touch': return say({ is: 'touched', n: o.n, t: now() })
      case 'stop': return lock.stop && lock.stop()
      case 'cancel': return calls.has(o.n) && calls.get(o.n).abort()
      case 'acquire': {
        const acquire = o.mode === 'shared' ? 'acquireShared' : 'acquire'
        return act(o, 'acquired', (signal) => lock[acquire](o.n, o.keys, o.wait_ms, signal),
          !lock[acquire])
      }
      case 'release': return act(o, 'released', (signal) => lock.release(o.n, signal))
      case 'extend': return act(o, 'extended', (signal) => lock.extend(o.n, signal), !lock.extend)
      default: return say({ is: 'unsupported', op: o.do })
    }
  }
  let rest = ''
  let before = Promise.resolve() // orders after config wait for the lock to be there
  process.stdin.setEncoding('utf8')
  process.stdin.on('data', (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      const done = before.then(() => carryOut(JSON.parse(line))).catch((e) => {
        say({ is: 'broken', err: describe(e) })
        process.exit(1)
      })
      if (!lock) before = done
    }
  })
  process.stdin.on('end', () => process.exit(0)) // an acquire under way ends, too
}

const calls = new Map() // by n, the AbortController of the call under way

async function act (o, is, call, cannot) {
  say({ is: 'begun', n: o.n, op: o.do, t: now() })
  const what = o.mode === 'shared' ? 'shared mode' : o.do
  if (cannot) return say({ is: 'failed', n: o.n, t: now(), err: 'this lock has no ' + what })
  const controller = new AbortController()
  calls.set(o.n, controller)
  try {
    const said = await call(controller.signal)
    say({ is, n: o.n, t: now(), ...said })
  } catch (e) {
    if (e instanceof Refused) return say({ is: 'refused', n: o.n, t: now(), why: e.why })
    if (o.do === 'acquire' && controller.signal.aborted && e === controller.signal.reason) {
      return say({ is: 'refused', n: o.n, t: now(), why: 'cancelled' })
    }
    if (e instanceof NotOwner) return say({ is: 'not_owner', n: o.n, t: now(), err: e.message })
    say({ is: 'failed', n: o.n, t: now(), err: describe(e) })
  } finally {
    calls.delete(o.n)
  }
}

function check (config) {
  if (config.protocol !== PROTOCOL) {
    throw new Error(`this adapter speaks protocol ${PROTOCOL}, not ${config.protocol}`)
  }
  return { redis: [], options: {}, ...config }
}

// watch reports when the process did not run, or its event loop.
function watch () {
  let last = now()
  setInterval(() => {
    const t = now()
    if (t - last - TICK > LATE) say({ is: 'gap', t, ns: t - last - TICK })
    last = t
  }, TICK / 1e6)
}

// now is CLOCK_MONOTONIC in nanoseconds.
function now () {
  return Number(process.hrtime.bigint())
}

function untilDate (ms) {
  return now() + (ms - Date.now()) * 1e6
}

// given drops what is undefined or null, so that a library sees only what is given.
function given (options) {
  return Object.fromEntries(Object.entries(options).filter(([, v]) => v != null))
}

// versions of packages, which need not export their package.json.
function versions (...names) {
  return Object.fromEntries(names.map((name) => {
    let dir = path.dirname(require.resolve(name))
    while (!fs.existsSync(path.join(dir, 'package.json')) || pkg(dir).name !== name) {
      dir = path.dirname(dir)
    }
    return [name, pkg(dir).version.replace(/^v/, '')]
  }))
}

function pkg (dir) {
  return JSON.parse(fs.readFileSync(path.join(dir, 'package.json')))
}

// Only answers go to stdout: what a library prints goes to stderr.
const write = process.stdout.write.bind(process.stdout)
process.stdout.write = process.stderr.write.bind(process.stderr)
process.stdout.on('error', () => process.exit(0))

function say (answer) {
  write(JSON.stringify(answer) + '\n')
}

function describe (e) {
  const name = (e && (e.name !== 'Error' && e.name)) || (e && e.constructor && e.constructor.name)
  return `${name}: ${e && e.message}`.slice(0, 300)
}

module.exports = { Refused, NotOwner, run, lost, untilDate, given, versions }
