package engine

import "strings"

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
