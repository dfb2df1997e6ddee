// Package spans writes a run for the tools in which people look at traces: Perfetto and Chrome read
// one format, OpenTelemetry's collectors and viewers the other. Both have the same tracks.
package spans

import (
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/view"
)

// longest bounds the texts that a client or a server chose.
const longest = 200

// A kind groups tracks. The kinds are in the order in which a viewer shows them.
type kind int

const (
	violations kind = iota
	clients
	servers
	faults
)

var kinds = []string{violations: "violations", clients: "clients", servers: "servers",
	faults: "faults"}

// A track has the spans of one client, one server, one fault or one violation.
type track struct {
	kind  kind
	name  string
	spans []span
	marks []mark
}

// A span is a time on a track.
type span struct {
	name     string
	from, to int64
	failed   string // why it failed, for people
	details  map[string]any
	hold     hold // if it is one
	links    []link
	lane     int // the spans of one lane are nested or follow each other
	parent   int // index of the enclosing span of the lane, or -1
}

// A hold identifies a hold of a client. N counts from 1.
type hold struct{ process, n, key int }

// A link leads to a hold of the same violation.
type link struct {
	to        hold
	violation string
}

// A mark is a moment on a track.
type mark struct {
	t    int64
	text string
}

// tracksOf returns the tracks of a run, with their spans sorted into lanes.
func tracksOf(v *view.View) (tracks []track) {
	for _, w := range v.Violations {
		tracks = append(tracks, violation(v, w))
	}
	tracks = append(tracks, clientTracks(v)...)
	for _, n := range v.Redis() {
		tracks = append(tracks, server(n))
	}
	tracks = append(tracks, faultTracks(v)...)
	for i := range tracks {
		tracks[i].nest()
	}
	return tracks
}

// violation shows the time of a violation, and the commands of its witness as moments.
func violation(v *view.View, w *view.Violation) track {
	from, to := w.When(v)
	name := strings.Join(w.Properties, ", ") + " violated"
	s := span{name: page.Clean(name, longest), from: from, to: to, failed: "violated",
		details: map[string]any{"class": w.Class, "explanation": strings.Join(w.Told, " ")}}
	for _, h := range w.Holds {
		s.links = append(s.links, link{hold{h.Process, h.N, w.Key}, name})
	}
	t := track{kind: violations, name: s.name, spans: []span{s}}
	for _, c := range w.Commands {
		text := page.Clean(strings.TrimSpace(c.String()+" "+c.Effect), longest)
		if len(c.Args) > 0 {
			text = view.Who(c.Process) + ": " + text
		}
		t.marks = append(t.marks, mark{v.Clamp(c.Sent), text})
	}
	return t
}

func clientTracks(v *view.View) []track {
	tracks, at := make([]track, len(v.Clients)), map[int]*track{}
	for i, p := range v.Clients {
		tracks[i] = track{kind: clients, name: view.Who(p)}
		at[p] = &tracks[i]
	}
	for _, c := range v.Calls {
		at[c.Process].add(call(v, c))
	}
	for _, h := range v.Grants() {
		at[h.Process].add(inside(v, h))
	}
	for p, calls := range v.Releases {
		for _, c := range calls {
			at[p].add(span{name: "release", from: c.From, to: v.Clamp(c.To)})
		}
	}
	for _, c := range v.Trace {
		at[c.Process].add(command(c))
	}
	for _, e := range v.Marks {
		if text, t := v.MarkText(e), at[e.Process]; text != "" && t != nil {
			t.marks = append(t.marks, mark{e.T, text})
		}
	}
	return tracks
}

// add does nothing for a process that the record does not know.
func (t *track) add(s span) {
	if t != nil {
		t.spans = append(t.spans, s)
	}
}

func call(v *view.View, c record.Call) span {
	s := span{name: "acquire " + locks(c.Keys), from: c.From, to: v.Clamp(c.To),
		details: map[string]any{"n": c.N, "outcome": string(c.Outcome)}}
	if c.Outcome != history.OK {
		s.failed = page.Clean(string(c.Outcome)+": "+c.Err, longest)
	}
	return s
}

func inside(v *view.View, h record.Hold) span {
	s := span{name: "hold " + locks([]int{h.Key}), from: h.From, to: v.Clamp(h.End),
		hold:    hold{h.Process, h.N, h.Key},
		details: map[string]any{"n": h.N, "key": h.Key, "ended": view.Ending(&h)}}
	if end := h.BelievedEnd(); end != record.Forever {
		s.details["lease_end"] = units.Stamp(end)
	}
	if h.Node != "" {
		s.details["granted_by"] = page.Clean(h.Node, longest)
	}
	if h.Token != 0 {
		s.details["token"] = h.Token
	}
	for _, w := range v.Violations {
		if w.Key == h.Key && w.HasHold(h.Process, h.N) {
			s.linkTo(w)
		}
	}
	return s
}

func (s *span) linkTo(w *view.Violation) {
	name := strings.Join(w.Properties, ", ") + " violated"
	s.failed = name
	for _, other := range w.Holds {
		if to := (hold{other.Process, other.N, w.Key}); to != s.hold {
			s.links = append(s.links, link{to, name})
		}
	}
}

func command(c history.Command) span {
	s := span{name: page.Clean(c.String(), longest), from: c.Sent, to: max(c.Sent, c.Recv),
		details: map[string]any{"node": page.Clean(c.Node, longest),
			"reply": view.ReplyOf(c, longest)}}
	if c.Err != "" || c.Recv == 0 {
		s.failed = view.ReplyOf(c, longest)
	}
	return s
}

// server shows a server's roles, and the keys that it held for the locks.
func server(n view.Node) track {
	t := track{kind: servers, name: page.Clean(n.Name, longest)}
	for _, r := range n.Roles {
		t.add(span{name: r.Name, from: r.From, to: r.To})
	}
	for _, k := range n.Keys {
		owner := view.Who(k.Owner)
		if k.Owner < 0 {
			owner = "an unknown client"
		}
		t.add(span{name: fmt.Sprintf("key of %s: %s", locks([]int{k.Key}), owner), from: k.From,
			to: k.To, details: map[string]any{"value": page.Clean(k.Value, longest),
				"ended": k.Ended}})
	}
	return t
}

// faultTracks has one track for each name of a fault, in the order of their first begin.
func faultTracks(v *view.View) (tracks []track) {
	at := map[string]int{}
	for _, f := range v.Faults {
		i, known := at[f.Name()]
		if !known {
			i = len(tracks)
			at[f.Name()] = i
			tracks = append(tracks, track{kind: faults, name: f.Name()})
		}
		tracks[i].add(span{name: f.Name(), from: f.From, to: v.Clamp(f.To),
			failed: page.Clean(f.Err, longest), details: map[string]any{"aimed": f.Aimed}})
	}
	return tracks
}

func locks(keys []int) string {
	if len(keys) == 1 {
		return fmt.Sprintf("lock %d", keys[0])
	}
	return "locks " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(keys)), ", "), "[]")
}
