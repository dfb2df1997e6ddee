package cluster

import (
	"fmt"
	"path"
	"strings"
	"time"

	toxi "github.com/Shopify/toxiproxy/v2/client"
	"github.com/lockbench/lockbench/nemesis"
)

// each calls f for every link that a pattern names: "c2>n0", "c2>*", "*".
func (w *Environment) each(pattern string, f func(link string) error) error {
	found := false
	for _, l := range w.proxies.names() {
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
	return w.toxic(link, "timeout", mode, toxi.Attributes{"timeout": 0})
}

// forever is longer than any run.
const forever = time.Hour

// HoldBack keeps what is sent over links until Heal delivers it, even if the sender has given up
// and closed the connection.
func (w *Environment) HoldBack(link, mode string) error {
	return w.toxic(link, "latency", mode, toxi.Attributes{"latency": forever.Milliseconds()})
}

// Delay delivers everything that is sent over links, requests and replies, d later.
func (w *Environment) Delay(link string, d time.Duration) error {
	return w.toxic(link, "latency", nemesis.Both, toxi.Attributes{"latency": d.Milliseconds()})
}

// Reset resets connections as soon as something is sent over them.
func (w *Environment) Reset(link string) error {
	return w.toxic(link, "reset_peer", nemesis.Both, toxi.Attributes{"timeout": 0})
}

func (w *Environment) toxic(link, kind, mode string, a toxi.Attributes) error {
	streams, err := directions(mode)
	if err != nil {
		return err
	}
	return w.strike(link, func(l string) error { return w.proxies.toxic(l, kind, streams, a) })
}

// strike is each for what is no repair: sentinels look closely at links of their own.
func (w *Environment) strike(link string, f func(string) error) error {
	if !strings.HasPrefix(link, "c") {
		if err := w.alarm(true); err != nil {
			return err
		}
	}
	return w.each(link, f)
}

// Refuse closes the connections of links and refuses new ones.
func (w *Environment) Refuse(link string) error { return w.strike(link, w.proxies.refuse) }

// Heal makes links whole.
func (w *Environment) Heal(link string) error { return w.each(link, w.proxies.heal) }
