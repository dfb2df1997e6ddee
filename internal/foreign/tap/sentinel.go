package tap

import (
	"net"
	"strings"

	"github.com/lockbench/lockbench/internal/base/resp"
)

// Sentinel makes an address by which the client reaches a sentinel. The Observer is not told of
// what is said there. Wherever the sentinel names an address that Announce was told of, the client
// reads the other.
func (t *Tap) Sentinel(address string) (here string, err error) {
	r := newRoute(t, Ways{Nodes: map[string]string{"": address}})
	r.sentinel = true
	t.mu.Lock()
	t.routes = append(t.routes, r)
	t.mu.Unlock()
	return t.serve(r.serve)
}

// Announce says by which address the client reaches a server, or another sentinel, that sentinels
// know by address.
func (t *Tap) Announce(address, here string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.announced == nil {
		t.announced = map[string]string{}
	}
	t.announced[address] = here
}

// translate puts the client's own addresses into what a sentinel says: into replies that name a
// server as host and port, side by side or each behind its name, and into messages to subscribers,
// which are such words in a line.
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

// named are the words before a host and a port in the state of a server.
var named = map[string]string{"ip": "port", "master-host": "master-port"}

// replace changes the addresses in a sequence of words. The tap's mutex is held.
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
