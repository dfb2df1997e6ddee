package server

import (
	"net"
	"strconv"
	"strings"
)

// Kind is a kind of server, as a launcher has to know it, wherever it runs the program.
type Kind interface {
	// Command returns the arguments of the program, and the configuration that it wants to find in
	// file and may rewrite there; "" if it needs none.
	Command(c NodeConfig, file string) (args []string, text string)
	// SaysReady reports whether a line of its output says that it can be used: nothing needs to poll.
	SaysReady(c NodeConfig, line string) bool
}

// Redis is a redis-server, or what stands in for it.
type Redis struct{}

// Command is Kind: a server that keeps nothing on disk, expires keys promptly and feeds its replica
// without the delays of docs/environments.md, Replication barrier.
func (Redis) Command(c NodeConfig, _ string) (args []string, text string) {
	a := []string{
		"--bind", c.Host, "--port", strconv.Itoa(c.Port), "--dir", c.Dir, "--protected-mode", "no",
		"--daemonize", "no",
		"--save", "", "--appendonly", "no", "--hz", "100", "--repl-timeout", "3600",
		"--repl-diskless-sync", "no", "--repl-diskless-sync-delay", "0",
	}
	if c.ReplicaOf != "" {
		host, port, _ := net.SplitHostPort(c.ReplicaOf)
		// apart: before version 7 a word with a space in it is one argument
		a = append(a, "--replicaof", host, port)
	}
	for i := 0; i+1 < len(c.Config); i += 2 {
		a = append(a, "--"+c.Config[i], c.Config[i+1])
	}
	return a, ""
}

// SaysReady is Kind: it accepts connections and, as a replica, has its first copy.
func (Redis) SaysReady(c NodeConfig, line string) bool {
	if c.ReplicaOf != "" {
		return strings.Contains(line, "<-> REPLICA sync: Finished with success")
	}
	// with a capital for a port, without for a socket
	return strings.Contains(line, "eady to accept connections")
}
