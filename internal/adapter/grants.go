package adapter

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/tap"
	"github.com/lockbench/lockbench/workloads"
)

// grants find the commands of an acquire that were the grant: on each node the last one that named
// the key, or a key of the call, and changed it or may have. What they do not find is not guessed.
type grants struct {
	mu   sync.Mutex
	keys []string
	last map[string]granting // by node
}

// granting is a command that may have created the key.
type granting struct {
	sent  int64
	lease time.Duration // 0: not seen
}

// expect begins an acquire of these keys.
func (g *grants) expect(keys []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.keys, g.last = keys, map[string]granting{}
}

// see takes in the end of a command.
func (g *grants) see(sent history.Command, r tap.Reply) {
	lease, ok := takes(sent.Args, r)
	if !ok {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if slices.ContainsFunc(g.keys, func(k string) bool { return slices.Contains(sent.Args[1:], k) }) {
		g.last[sent.Node] = granting{sent.Sent, lease}
	}
}

// takes reports whether a command with this end may have taken a lock, and the lease that it names.
func takes(args []string, r tap.Reply) (lease time.Duration, ok bool) {
	if len(args) < 2 || r.Err != "" || strings.HasPrefix(r.Text, "(error)") {
		return 0, false
	}
	switch strings.ToLower(args[0]) {
	case "set":
		return expiryOf(args), r.Text == "OK"
	case "setnx":
		return 0, r.Text == "1"
	case "eval", "evalsha", "fcall":
		return 0, true
	}
	return 0, false
}

// expiryOf is the lease that a SET names; 0: none.
func expiryOf(args []string) time.Duration {
	for i, word := range args[:len(args)-1] {
		n, err := strconv.ParseInt(args[i+1], 10, 64)
		if err != nil {
			continue
		}
		switch strings.ToLower(word) {
		case "px":
			return time.Duration(n) * time.Millisecond
		case "ex":
			return time.Duration(n) * time.Second
		}
	}
	return 0
}

// fill puts what was seen of the grant into it: the sending of the first of the commands, the
// shortest lease that they named, and the node if there is one.
func (g *grants) fill(to *workloads.Granted) {
	g.mu.Lock()
	defer g.mu.Unlock()
	first := int64(0)
	for node, c := range g.last {
		if first == 0 || c.sent < first {
			first = c.sent
		}
		if c.lease > 0 {
			to.Lease = c.lease
		}
		if to.Node = node; len(g.last) > 1 {
			to.Node = ""
		}
	}
	if first > 0 {
		to.Sent = time.Duration(first)
	}
}
