package harness

import (
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// TestALockIsServedAgainByAnotherClient gives grants after a fault. A client that may have left a
// reentrant lock behind is granted its own.
func TestALockIsServedAgainByAnotherClient(t *testing.T) {
	event := func(process int, typ history.Type) history.Event {
		return history.Event{Type: typ, Process: process, F: history.Acquire, Grant: &history.Grant{}}
	}
	fault := history.Event{Type: history.Fault, Process: -1, F: "cut", T: 1}
	for _, c := range []struct {
		name      string
		reentrant bool
		events    []history.Event
		served    bool
	}{
		{"another client", true, []history.Event{event(1, history.OK), fault, event(0, history.OK)},
			true},
		{"the same client", true, []history.Event{event(0, history.OK), fault, event(0, history.OK)},
			false},
		{"the same client, of a plain lock", false, []history.Event{event(0, history.OK), fault,
			event(0, history.OK)}, true},
		{"a client that left it behind", true, []history.Event{event(1, history.OK), fault,
			event(0, history.Info), event(0, history.OK)}, false},
		{"a client that left it behind, of a plain lock", false, []history.Event{event(1, history.OK),
			fault, event(0, history.Info), event(0, history.OK)}, true},
		{"a client that had left it behind, before another one's grant", true, []history.Event{fault,
			event(0, history.Info), event(1, history.OK), fault, event(0, history.OK)}, true},
	} {
		plan := &Plan{}
		p := newProgress(&clients{plan: plan, all: newClients(2),
			declares: history.Declares{Reentrant: c.reentrant}})
		for _, e := range c.events {
			p.add(e)
		}
		if p.served[0] != c.served {
			t.Errorf("%s: %v, want %v", c.name, p.served[0], c.served)
		}
	}
}
