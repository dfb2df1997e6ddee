package cluster

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
	"github.com/lockbench/lockbench/nemesis"
)

// each calls f for every link that a pattern names: "c2>n0", "c2>*", "*".
func (w *Environment) each(pattern string, f func(link string) error) error {
	found := false
	for _, l := range w.links.Names() {
		if ok, _ := path.Match(pattern, l); ok {
			found = true
			if err := f(l); err != nil {
				return err
			}
		}
	}
	if !found {
		return fmt.Errorf("there is no link %q", pattern)
	}
	return nil
}

// Cut makes links drop data. Connections stay, new ones can be made, and an end that closes is
// noticed at the other: the proxy passes FIN and RST.
func (w *Environment) Cut(link, mode string) error {
	return w.toxic(link, "timeout", mode, proxy.Attributes{"timeout": 0})
}

// forever is longer than any run.
const forever = time.Hour

// HoldBack keeps what is sent over links until Heal delivers it, even if the sender has given up
// and closed the connection.
func (w *Environment) HoldBack(link, mode string) error {
	return w.toxic(link, "latency", mode, proxy.Attributes{"latency": forever.Milliseconds()})
}

// Delay delivers everything that is sent over links, requests and replies, d later.
func (w *Environment) Delay(link string, d time.Duration) error {
	return w.toxic(link, "latency", nemesis.Both, proxy.Attributes{"latency": d.Milliseconds()})
}

// Reset resets connections as soon as something is sent over them.
func (w *Environment) Reset(link string) error {
	return w.toxic(link, "reset_peer", nemesis.Both, proxy.Attributes{"timeout": 0})
}

func (w *Environment) toxic(link, kind, mode string, a proxy.Attributes) error {
	streams, err := proxy.Streams(mode)
	if err != nil {
		return err
	}
	return w.inject(link, func(l string) error { return w.links.Toxic(l, kind, streams, a) })
}

// inject is each for a fault: sentinels look closely at links of their own.
func (w *Environment) inject(link string, f func(string) error) error {
	if !strings.HasPrefix(link, "c") {
		if err := w.alarm(true); err != nil {
			return err
		}
	}
	return w.each(link, f)
}

// Refuse closes the connections of links and refuses new ones.
func (w *Environment) Refuse(link string) error { return w.inject(link, w.links.Refuse) }

// Heal makes links whole.
func (w *Environment) Heal(link string) error { return w.each(link, w.links.Heal) }
