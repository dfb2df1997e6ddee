package tap

import (
	"net"
	"strings"

	"github.com/lockbench/lockbench/internal/base/resp"
)

// Sentinel listens on an address that leads the client to a sentinel, and returns it. The Observer
// does not see this traffic. In the sentinel's replies, the tap replaces each address that Announce
// knows.
func (t *Tap) Sentinel(address string) (here string, err error) {
	r := newRoute(t, Ways{Nodes: map[string]string{"": address}})
	r.sentinel = true
	t.mu.Lock()
	t.routes = append(t.routes, r)
	t.mu.Unlock()
	return t.serve(r.serve)
}

// Announce maps a server's or a sentinel's address, as the sentinels know it, to the address that
// the client must use.
func (t *Tap) Announce(address, here string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.announced == nil {
		t.announced = map[string]string{}
	}
	t.announced[address] = here
}

// translate replaces the servers' addresses with the client's own in the messages of a sentinel. It
// handles replies that name host and port, next to each other or each after its name. It also
// handles messages to subscribers, whose single line has the same words.
func (t *Tap) translate(wire []byte) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return resp.Rewrite(wire, func(texts []string) {
		for i, text := range texts {
			if words := strings.Split(text, " "); len(words) > 1 {
				t.replace(words)
				texts[i] = strings.Join(words, " ")
			}
		}
		t.replace(texts)
	})
}

// named maps a host's name in the state of a server to its port's.
var named = map[string]string{"ip": "port", "master-host": "master-port"}

// replace changes the addresses in a sequence of words. The caller holds the tap's mutex.
func (t *Tap) replace(words []string) {
	for i, w := range words {
		if here, ok := t.announced[w]; ok {
			words[i] = here
		}
		port := i + 1
		if i > 0 && i+2 < len(words) && named[words[i-1]] == words[i+1] && named[words[i-1]] != "" {
			port = i + 2
		}
		if port >= len(words) {
			break
		}
		if here, ok := t.announced[net.JoinHostPort(w, words[port])]; ok {
			words[i], words[port], _ = net.SplitHostPort(here)
		}
	}
}
