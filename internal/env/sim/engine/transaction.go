package engine

import "slices"

// transaction is the state of a connection after WATCH or MULTI.
type transaction struct {
	begun   bool       // by MULTI
	queue   [][]string // commands
	broken  bool       // a command was refused, so EXEC executes none
	watched []string   // keys
	touched bool       // a watched key has changed
}

func multi(c *call) {
	if c.s.tx.begun {
		c.out.Error("ERR MULTI calls can not be nested")
		return
	}
	c.s.tx.begun = true
	c.out.Status("OK")
}

// queue keeps a command for EXEC.
func (c *call) queue() {
	c.s.tx.queue = append(c.s.tx.queue, c.args)
	c.out.Status("QUEUED")
}

// exec executes the queued commands, unless a watched key has changed or expired.
func exec(c *call) {
	if !c.s.tx.begun {
		c.out.Error("ERR EXEC without MULTI")
		return
	}
	for _, key := range c.s.tx.watched {
		c.e.get(key) // touches an expired key
	}
	t := c.s.tx
	c.e.endTransaction(c.s)
	switch {
	case t.broken:
		c.out.Error("EXECABORT Transaction discarded because of previous errors.")
		return
	case t.touched:
		c.out.NullArray()
		return
	}
	c.out.Array(len(t.queue))
	c.queued = true
	for _, c.args = range t.queue {
		cmd, _ := lookup(c.args[0])
		c.execute(cmd)
	}
}

func discard(c *call) {
	if !c.s.tx.begun {
		c.out.Error("ERR DISCARD without MULTI")
		return
	}
	unwatch(c)
}

func watch(c *call) {
	if c.s.tx.begun {
		c.out.Error("ERR WATCH inside MULTI is not allowed")
		return
	}
	for _, key := range c.args[1:] {
		c.e.get(key) // removes an expired key, so that its expiry does not count as a change
		if !slices.Contains(c.s.tx.watched, key) {
			c.s.tx.watched = append(c.s.tx.watched, key)
			c.e.watchers[key] = append(c.e.watchers[key], c.s)
		}
	}
	c.out.Status("OK")
}

func unwatch(c *call) {
	c.e.endTransaction(c.s)
	c.out.Status("OK")
}

// endTransaction forgets the queued commands and watched keys of a connection.
func (e *Engine) endTransaction(s *Session) {
	for _, key := range s.tx.watched {
		e.watchers[key] = slices.DeleteFunc(e.watchers[key], func(x *Session) bool { return x == s })
		if len(e.watchers[key]) == 0 {
			delete(e.watchers, key)
		}
	}
	s.tx = transaction{}
}

// touch tells the connections that watch a key that it has changed.
func (e *Engine) touch(key string) {
	for _, s := range e.watchers[key] {
		s.tx.touched = true
	}
}
