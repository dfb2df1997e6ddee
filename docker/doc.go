// Package docker launches the servers and the workers of a cluster in containers, by
// testcontainers-go. The environment has the topologies, links, proxies and faults of the process
// environment. Only the place where redis-server runs differs.
//
// A run leaves no container behind. Every container carries a label that names its process. A
// janitor removes the containers of a process that was killed, and Sweep removes the rest.
package docker
