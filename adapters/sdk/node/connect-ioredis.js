// Connected clients of ioredis as config says: one for each independent Redis, or one of the
// Sentinels' master. What config does not give stays ioredis' default.
'use strict'
const Redis = require('ioredis')
const { given } = require('lockbench')

module.exports = async function connect (config) {
  const options = given({
    connectTimeout: config.client_timeout_ms,
    commandTimeout: config.client_timeout_ms,
    maxRetriesPerRequest: config.client_retries
  })
  const hostPort = (address) => {
    const at = address.lastIndexOf(':')
    return { host: address.slice(0, at), port: Number(address.slice(at + 1)) }
  }
  const places = config.sentinels
    ? [{ sentinels: config.sentinels.map(hostPort), name: config.master }]
    : config.redis.map(hostPort)
  const clients = places.map((place) => new Redis({ ...place, ...options }))
  for (const client of clients) {
    client.on('error', (e) => console.error(String(e))) // it reconnects by itself
    await client.ping()
  }
  return clients
}
