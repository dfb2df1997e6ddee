package workloads

import (
	"crypto/sha1"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/history"
)

// Grants find the commands of a Remote's acquire that were the grant: on each node the last one
// that named a key of the call, and changed it or may have. What they do not find is not guessed.
// They are safe for concurrent use.
type Grants struct {
	mu   sync.Mutex
	keys []string
	last map[string]granting // by node
	// whether scripts prolong a lease, by the digest of their text: those that were sent with it
	scripts map[string]bool
}

// granting is a command that may have created the key.
type granting struct {
	sent  int64
	lease time.Duration // 0: not seen
}

// Expect begins an acquire of these keys.
func (g *Grants) Expect(keys []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.keys, g.last = keys, map[string]granting{}
}

// See takes in the end of a command of a client that has no lock yet.
func (g *Grants) See(sent, done history.Command) {
	g.learn(sent.Args)
	lease, ok := takes(sent.Args, done)
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
func takes(args []string, done history.Command) (lease time.Duration, ok bool) {
	if len(args) < 2 || done.Err != "" || strings.HasPrefix(done.Reply, "(error)") {
		return 0, false
	}
	switch strings.ToLower(args[0]) {
	case "set":
		return expiryOf(args), done.Reply == "OK"
	case "setnx":
		return 0, done.Reply == "1"
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

// learn looks whether a script prolongs a lease: it sets one, and deletes nothing.
func (g *Grants) learn(args []string) {
	if len(args) < 2 || !strings.EqualFold(args[0], "eval") {
		return
	}
	text := strings.ToLower(args[1])
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.scripts == nil {
		g.scripts = map[string]bool{}
	}
	g.scripts[fmt.Sprintf("%x", sha1.Sum([]byte(args[1])))] = strings.Contains(text, "expire") &&
		!strings.Contains(text, "'del'") && !strings.Contains(text, `"del"`)
}

// Prolongs reports whether a command of a client that has the lock has prolonged its lease, and the
// lease that it names. A script whose text was not seen is not guessed.
func (g *Grants) Prolongs(args []string, done history.Command) (lease time.Duration, ok bool) {
	g.learn(args)
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(args) < 3 || done.Err != "" || done.Reply != "1" ||
		!slices.ContainsFunc(g.keys, func(k string) bool { return slices.Contains(args[1:], k) }) {
		return 0, false
	}
	switch strings.ToLower(args[0]) {
	case "pexpire":
		return expiryOf([]string{"px", args[2]}), true
	case "expire":
		return expiryOf([]string{"ex", args[2]}), true
	case "eval":
		return 0, g.scripts[fmt.Sprintf("%x", sha1.Sum([]byte(args[1])))]
	case "evalsha":
		return 0, g.scripts[strings.ToLower(args[1])]
	}
	return 0, false
}

// Fill puts what was seen of the grant into it: the sending of the first of the commands, the
// shortest lease that they named, and the node if there is one.
func (g *Grants) Fill(to *Granted) {
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
