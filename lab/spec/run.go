package spec

import (
	"regexp"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/history"
)

// run is the state that all clients of a run share.
type run struct {
	header  history.Header
	options impls.Options
	page    page
	used    map[string]bool // owner values that were written so far
	doubles bool            // a fault sends commands twice
	steady  bool            // no fault moves a client's clock
}

// client is the state of a client's process from one call to the next.
type client struct {
	*run
	process int
	owners  map[string]string // by the keys of a lock: the owner value of all its calls
	holds   map[int]*hold     // by the number of the acquire
	taken   map[string]int64  // by key: stamp of the command that took it first
	renewed map[string]int64  // by key: stamp of its watchdog's latest command
	seen    *sight            // latest known time of its clock
	// commands of its watchdog so far
	renewals []*history.Command
}

// hold is the part of a granted acquire that later calls need.
type hold struct {
	value string
	until float64 // time that the lock wrote, in its own unit
	sent  int64   // stamp of the granting command
	after int64   // stamp of the reply before the granting command, or of the call's start
	keys  []string
	ended bool
	acks  int // replicas that confirmed it
}

// struck reports whether a fault of the run is of this kind.
func struck(es []history.Event, fault string) bool {
	return slices.ContainsFunc(es, func(e history.Event) bool {
		return e.Type == history.Fault && e.F == fault
	})
}

// prefix matches the prefix of a run's keys on an external server.
var prefix = regexp.MustCompile(`lockbench:[A-Z2-7]{10}:`)

// plain returns a command without the prefix of its keys.
func plain(m *history.Command) *history.Command {
	if !slices.ContainsFunc(m.Args, prefix.MatchString) {
		return m
	}
	short := *m
	short.Args = slices.Clone(m.Args)
	for i, a := range short.Args {
		short.Args[i] = prefix.ReplaceAllString(a, "")
	}
	return &short
}

// dropRepeats removes commands that are not steps of the lock. The client library repeats a command
// that a server of a cluster has refused, and a fault may double a command.
func (r *run) dropRepeats(sent []*history.Command) (out []*history.Command) {
	for _, m := range sent {
		n := len(out)
		if n > 0 && slices.Equal(out[n-1].Args, m.Args) && redirected(out[n-1].Reply) {
			out = out[:n-1]
		}
		second := func(first *history.Command) bool { return isDouble(m, first) }
		if !r.doubles || !slices.ContainsFunc(out, second) {
			out = append(out, m)
		}
	}
	return out
}

// isDouble reports whether a command is the second copy of a command that a fault doubled. The
// client gets the reply to the first copy after both are answered.
func isDouble(m, first *history.Command) bool {
	return slices.Equal(m.Args, first.Args) && m.Node == first.Node && m.N == first.N && m.Recv > 0 &&
		first.Sent <= m.Sent && m.Recv <= first.Recv
}

// redirected reports whether a client of a cluster repeats a command after such a reply.
func redirected(reply string) bool {
	for _, why := range []string{"MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN"} {
		if strings.HasPrefix(reply, "(error) "+why+" ") {
			return true
		}
	}
	return false
}

// calls returns the calls of one client, each with the commands that the client and its watchdog
// sent during the call.
func (r *run) calls(es []history.Event, process int, sent []*history.Command) (all []*call) {
	c := r.newClient(process)
	var open *call
	for _, e := range es {
		if e.Process != process {
			continue
		}
		switch {
		case e.Type == history.Invoke && called(e.F):
			last := open
			open = &call{reader: reader{client: c, f: e.F, n: e.N, keys: r.names(e), from: e.T}}
			if all = append(all, open); last != nil {
				last.then = open
			}
		case e.Type.Completes() && open != nil && open.ended == "" && e.F == open.f && e.N == open.n:
			open.to, open.ended, open.grant = e.T, e.Type, e.Grant
		case e.Type == history.Extend && open != nil:
			open.extensions = append(open.extensions, e)
		case e.Type == history.Exit || e.Type == history.Kill:
			c = r.newClient(process)
		}
	}
	for _, m := range sent {
		if in := belongs(all, m); in != nil {
			in.sent = append(in.sent, m)
		}
	}
	return all
}

// belongs returns the call that a command belongs to, or nil. It is the latest call of the same
// acquisition that started before the command. In the simulator a release may start in the same
// nanosecond as its acquire ends. A command that was over by then belongs to the acquire, and
// passOn moves it to the release if the acquire does not send it.
func belongs(all []*call, m *history.Command) (in *call) {
	for _, c := range all {
		switch {
		case c.n != m.N || c.from > m.Sent:
		case in != nil && in.ended != "" && m.Recv > 0 && m.Recv <= in.to:
		default:
			in = c
		}
	}
	return in
}

func (r *run) newClient(process int) *client {
	return &client{run: r, process: process, owners: map[string]string{}, holds: map[int]*hold{},
		taken: map[string]int64{}, renewed: map[string]int64{}}
}

func called(f string) bool {
	return f == history.Acquire || f == history.Release || f == history.ExtendOp
}

// names returns the Redis keys that a call is about.
func (r *run) names(e history.Event) (names []string) {
	keys := e.Keys
	if keys == nil {
		keys = []int{e.KeyOf()}
	}
	for _, k := range keys {
		if k < len(r.header.Names) {
			names = append(names, r.header.Names[k])
		}
	}
	return names
}
