package engine

import (
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/base/resp"
)

// Version is the version of redis-server that this package imitates.
const Version = "7.0.15"

func ping(c *call) {
	switch {
	case len(c.args) > 2:
		c.out.Error(arity("ping"))
	case c.s.listens():
		c.out.Array(2)
		c.out.Bulk("pong")
		c.out.Bulk(strings.Join(c.args[1:], ""))
	case len(c.args) == 2:
		c.out.Bulk(c.args[1])
	default:
		c.out.Status("PONG")
	}
}

func echo(c *call) { c.out.Bulk(c.args[1]) }

func clock(c *call) {
	c.out.Array(2)
	c.out.Bulk(strconv.FormatInt(c.e.now/1e6, 10))
	c.out.Bulk(strconv.FormatInt(c.e.now%1e6, 10))
}

// info replies the one section that clients read to learn about the server.
func info(c *call) {
	for _, section := range c.args[1:] {
		if !strings.EqualFold(section, "server") {
			c.out.Error(c.lack("INFO " + section))
			return
		}
	}
	c.out.Verbatim("# Server\r\nredis_version:" + Version +
		"\r\nredis_mode:standalone\r\nos:simulated\r\n")
}

func client(c *call) {
	switch sub := strings.ToLower(c.args[1]); {
	case sub == "id" && len(c.args) == 2:
		c.out.Integer(c.s.ID)
	case sub == "getname" && len(c.args) == 2 && c.s.name == "":
		c.out.Null()
	case sub == "getname" && len(c.args) == 2:
		c.out.Bulk(c.s.name)
	case sub == "setname" && len(c.args) == 3:
		c.s.name = c.args[2]
		c.out.Status("OK")
	case sub == "tracking" && len(c.args) > 2:
		c.track()
	case sub == "caching" && len(c.args) == 3:
		c.caching()
	case sub == "id", sub == "getname", sub == "setname", sub == "tracking", sub == "caching":
		c.out.Error(arity("client|" + sub))
	default:
		c.out.Error(c.noSubcommand())
	}
}

func (c *call) noSubcommand() string {
	if inRedis(c.args[0], c.args[1]) {
		return c.lack(c.args[0] + " " + c.args[1])
	}
	return "ERR unknown subcommand '" + c.args[1] + "'. Try " + strings.ToUpper(c.args[0]) + " HELP."
}

func selectDB(c *call) {
	n, ok := integer(c.args[1])
	switch {
	case !ok:
		c.out.Error(notInteger)
	case n < 0 || n > 15:
		c.out.Error("ERR DB index is out of range")
	case n != 0:
		c.out.Error(c.lack("SELECT of another database"))
	default:
		c.out.Status("OK")
	}
}

// wait leaves the session blocked. The caller of the engine knows the replicas and answers.
func wait(c *call) {
	replicas, ok1 := integer(c.args[1])
	timeout, ok2 := integer(c.args[2])
	switch {
	case c.e.Replica:
		c.out.Error(
			"ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 " +
				"if a replica is configured to be writable (which is not the default) writes to " +
				"replicas are just local and are not propagated.")
	case !ok1:
		c.out.Error(notInteger)
	case !ok2:
		c.out.Error("ERR timeout is not an integer or out of range")
	case timeout < 0:
		c.out.Error("ERR timeout is negative")
	default:
		c.s.Blocked = &Wait{Replicas: int(replicas), Timeout: timeout}
	}
}

// replicaOf makes a replica a master. Only the environment can make a master a replica.
func replicaOf(c *call) {
	if !strings.EqualFold(c.args[1], "no") || !strings.EqualFold(c.args[2], "one") {
		c.out.Error(c.lack("REPLICAOF but for NO ONE"))
		return
	}
	c.e.Replica = false
	c.out.Status("OK")
}

// Number returns a reply with a number, the answer to a WAIT.
func Number(n int) []byte {
	var r resp.Writer
	r.Integer(int64(n))
	return r.B
}

// hello replies the server's name and version, and changes the protocol of the connection.
func hello(c *call) {
	three, name := c.s.three, c.s.name
	if len(c.args) > 1 {
		n, ok := integer(c.args[1])
		switch {
		case !ok:
			c.out.Error("ERR Protocol version is not an integer or out of range")
			return
		case n != 2 && n != 3:
			c.out.Error("NOPROTO unsupported protocol version")
			return
		}
		three = n == 3
	}
	for i := 2; i < len(c.args); {
		switch left, word := len(c.args)-i-1, strings.ToLower(c.args[i]); {
		case word == "auth" && left >= 2: // the default user has no password
			if c.args[i+1] != "default" {
				c.out.Error("WRONGPASS invalid username-password pair or user is disabled.")
				return
			}
			i += 3
		case word == "setname" && left >= 1:
			name = c.args[i+1]
			i += 2
		default:
			c.out.Error("ERR Syntax error in HELLO option '" + c.args[i] + "'")
			return
		}
	}
	c.s.three, c.s.name, c.out.Three = three, name, three
	c.greet()
}

func (c *call) greet() {
	role, version := "master", int64(2)
	if c.e.Replica {
		role = "replica"
	}
	if c.s.three {
		version = 3
	}
	c.out.Grow(256)
	c.out.Map(7)
	for _, s := range []string{"server", "redis", "version", Version, "proto"} {
		c.out.Bulk(s)
	}
	c.out.Integer(version)
	c.out.Bulk("id")
	c.out.Integer(c.s.ID)
	for _, s := range []string{"mode", "standalone", "role", role, "modules"} {
		c.out.Bulk(s)
	}
	c.out.Array(0)
}
