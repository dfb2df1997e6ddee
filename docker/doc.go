// Package docker launches the servers and the workers of a cluster in containers, by
// testcontainers-go. The environment is the one of processes: its topologies, links, proxies and
// faults; only where redis-server runs is different.
//
// Nothing is left behind: every container carries a label that names the process it belongs to, a
// janitor removes those of a process that was killed, and Sweep those that the janitor could not.
package docker
