package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/resp"
)

// Version is the redis-server whose replies this package gives.
const Version = "7.0.15"

func ping(c *call) {
	switch {
	case len(c.args) > 2:
		c.out.Error(arity("ping"))
	case len(c.s.subs) > 0:
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

// info has the one section that a client asks for to know whom it talks to.
func info(c *call) {
	for _, section := range c.args[1:] {
		if !strings.EqualFold(section, "server") {
			c.out.Error(c.lack("INFO " + section))
			return
		}
	}
	c.out.Bulk("# Server\r\nredis_version:" + Version +
		"\r\nredis_mode:standalone\r\nos:simulated\r\n")
}

func hello(c *call) {
	if len(c.args) > 1 {
		n, ok := integer(c.args[1])
		switch {
		case !ok:
			c.out.Error("ERR Protocol version is not an integer or out of range")
			return
		case n != 2:
			c.out.Error("NOPROTO unsupported protocol version")
			return
		case len(c.args) > 2:
			c.out.Error(c.lack("HELLO with options"))
			return
		}
	}
	role := "master"
	if c.e.Replica {
		role = "replica"
	}
	c.out.Grow(256)
	c.out.Array(14)
	for _, s := range []string{"server", "redis", "version", Version, "proto"} {
		c.out.Bulk(s)
	}
	c.out.Integer(2)
	c.out.Bulk("id")
	c.out.Integer(c.s.ID)
	for _, s := range []string{"mode", "standalone", "role", role, "modules"} {
		c.out.Bulk(s)
	}
	c.out.Array(0)
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
	case sub == "id", sub == "getname", sub == "setname":
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

// wait leaves the session blocked; who runs the server knows the replicas and answers.
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

// replicaOf makes a replica a master. The other way is the environment's affair.
func replicaOf(c *call) {
	if !strings.EqualFold(c.args[1], "no") || !strings.EqualFold(c.args[2], "one") {
		c.out.Error(c.lack("REPLICAOF but for NO ONE"))
		return
	}
	c.e.Replica = false
	c.out.Status("OK")
}

// Number is a reply of its own, the answer to a WAIT.
func Number(n int) []byte {
	var r resp.Writer
	r.Integer(int64(n))
	return r.B
}

func publish(c *call) {
	var r resp.Writer
	r.Array(3)
	r.Bulk("message")
	r.Bulk(c.args[1])
	r.Bulk(c.args[2])
	listeners := c.e.subs[c.args[1]]
	for _, s := range listeners {
		s.Push(r.B)
	}
	c.out.Integer(int64(len(listeners)))
}

func subscribe(c *call) {
	for _, ch := range c.args[1:] {
		if !slices.Contains(c.s.subs, ch) {
			c.s.subs = append(c.s.subs, ch)
			c.e.subs[ch] = append(c.e.subs[ch], c.s)
		}
		c.subscription("subscribe", &ch)
	}
}

func unsubscribe(c *call) {
	channels := c.args[1:]
	if len(channels) == 0 {
		channels = slices.Clone(c.s.subs)
	}
	for _, ch := range channels {
		c.e.unsubscribe(c.s, ch)
		c.subscription("unsubscribe", &ch)
	}
	if len(channels) == 0 {
		c.subscription("unsubscribe", nil)
	}
}

// pubsub knows NUMSUB: how many listen to each of the channels.
func pubsub(c *call) {
	if !strings.EqualFold(c.args[1], "numsub") {
		c.out.Error(c.noSubcommand())
		return
	}
	c.out.Array(2 * len(c.args[2:]))
	for _, ch := range c.args[2:] {
		c.out.Bulk(ch)
		c.out.Integer(int64(len(c.e.subs[ch])))
	}
}

func (c *call) subscription(what string, channel *string) {
	c.out.Array(3)
	c.out.Bulk(what)
	if channel == nil {
		c.out.Null()
	} else {
		c.out.Bulk(*channel)
	}
	c.out.Integer(int64(len(c.s.subs)))
}

func (e *Engine) unsubscribe(s *Session, channel string) {
	without := func(x *Session) bool { return x == s }
	if all := slices.DeleteFunc(e.subs[channel], without); len(all) > 0 {
		e.subs[channel] = all
	} else {
		delete(e.subs, channel)
	}
	s.subs = slices.DeleteFunc(s.subs, func(x string) bool { return x == channel })
}
