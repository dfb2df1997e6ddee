// Package cluster is an environment of real processes: redis-server on loopback, a worker process
// for each client, and a toxiproxy proxy on every link between them. Nothing of it outlives the
// process that started it.
package cluster
