// Package cluster is an environment of real processes: redis-server on loopback, a worker process
// for each client, and a toxiproxy proxy on every link between them. All of them end with the
// process that started them.
//
// An Environment has five parts: nodes, links and clients carry out the faults, observer and
// election report what the servers do by themselves. A layout starts the servers of a topology.
package cluster
