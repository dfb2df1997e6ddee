package checker

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// story reads a small language for histories, one statement per line or between semicolons:
//
//	c0 acquire 10 20 [fail|info|open] [sent=12] [lease=100] [valid=90] [token=7] [node=n0] [key=1]
//	    [keys=0,2] [depth=1] [shared]
//	c0 release 40 50 [fail|info|open] [n=2]     of the latest acquisition that has no release yet
//	c0 read 41 42 value=7; c0 write 43 44 value=8; c0 cas 45 46 if=8 value=9
//	c0 extend 30 sent=28 lease=100; c0 lost 35; c0 kill 60; c0 exit 70 [planned]; c0 gap 80 gap=40
//	fault promote n1 55 58 [strike] [lasted] [err=...] [mode=...] [offset=1] [rate=1]
//	names k0,k1; masters 3; script TEXT take DONE REFUSED; kept TEXT REPLY
//	nemesis NAME; imported; evicts; outstays;
//	    ttl 100; lease; loss; validity; fencing; reentrant; broken why;
//	    interrupted; requires contended=1 strikes=1 handovers=1; timeout 100; clienttimeout 100;
//	    pause 100; deadwaiters 100; minimumhold 100; preference; leaderrenews; wholetrace;
//	    undone STEP OF WHAT
//	counted n0 [evicted=3] [deleted=2] [emptied=1]      by the server, at the end
//
// Times and lengths are nanoseconds. The end event comes by itself at the latest stamp, or at "end
// 500".
func story(t testing.TB, text string) *history.History {
	t.Helper()
	s := &teller{h: &history.History{Header: history.Header{Type: "header", Format: history.Format,
		Environment: "test"}}, n: map[int]int{}, held: map[int][]int{}}
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == '\n' }) {
		if words := strings.Fields(line); len(words) > 0 {
			s.tell(t, words)
		}
	}
	s.h.Sort()
	if !s.cut {
		s.h.Events = append(s.h.Events, history.Event{Type: history.End, T: max(s.end, s.last),
			Process: history.Harness, Err: s.broken, Undone: s.undone,
			Counters: s.counted})
	}
	v := history.NewValidator()
	for i, e := range s.h.Events {
		if err := v.Add(e); err != nil {
			t.Fatalf("event %d %+v: %v", i, e, err)
		}
	}
	return s.h
}

type teller struct {
	h         *history.History
	n         map[int]int
	held      map[int][]int
	end, last int64
	broken    string
	undone    *history.Undone
	counted   []history.Counters
	cut       bool
	faults    int
}

func (s *teller) tell(t testing.TB, w []string) {
	t.Helper()
	hd := &s.h.Header
	switch w[0] {
	case "ttl":
		hd.TTL = history.Duration(number(t, w[1]))
	case "leases":
		for _, lease := range w[1:] {
			hd.Leases = append(hd.Leases, history.Duration(number(t, lease)))
		}
	case "drift":
		hd.Drift, _ = strconv.ParseFloat(w[1], 64)
	case "poll":
		hd.Poll = history.Duration(number(t, w[1]))
	case "timeout":
		hd.AcquireTimeout = history.Duration(number(t, w[1]))
	case "pause":
		hd.Declares.Pause = history.Duration(number(t, w[1]))
	case "clienttimeout":
		hd.ClientTimeout = history.Duration(number(t, w[1]))
	case "leaderrenews":
		hd.Declares.LeaderRenews = true
	case "deadwaiters":
		hd.Declares.DeadWaiters = history.Duration(number(t, w[1]))
	case "minimumhold":
		hd.Declares.MinimumHold = history.Duration(number(t, w[1]))
	case "preference":
		hd.Declares.Preference = true
	case "lease":
		hd.Declares.Lease = true
	case "validity":
		hd.Declares.Validity = true
	case "wholetrace":
		hd.WholeTrace = true
	case "outstays":
		hd.Outstays = true
	case "evicts":
		hd.Evicts = true
	case "counted":
		s.count(t, w[1:])
	case "system":
		hd.System = w[1]
	case "loss":
		hd.Declares.Loss = true
	case "fencing":
		hd.Declares.Fencing = true
	case "reentrant":
		hd.Declares.Reentrant = true
	case "endless":
		hd.Declares.Endless = true
	case "workload":
		hd.Workload = w[1]
	case "imported":
		hd.Environment = ""
	case "environment":
		hd.Environment = w[1]
	case "nemesis":
		hd.Nemesis = w[1]
	case "topology":
		hd.Topology = w[1]
	case "masters":
		hd.Topology, hd.Masters = "independent", int(number(t, w[1]))
	case "names":
		hd.Names = strings.Split(w[1], ",")
	case "script":
		if hd.Scripts == nil {
			hd.Scripts = map[string]history.Script{}
		}
		hd.Scripts[history.ScriptID(w[1])] = history.Script{Does: w[2], Done: w[3],
			Refused: strings.Join(w[4:], " ")}
	case "kept":
		s := hd.Scripts[history.ScriptID(w[1])]
		s.Kept = w[2]
		hd.Scripts[history.ScriptID(w[1])] = s
	case "expect":
		hd.Expect = w[1]
	case "end":
		s.end = number(t, w[1])
	case "broken":
		s.broken = strings.Join(w[1:], " ")
	case "interrupted":
		s.cut = true
	case "undone":
		s.undone = &history.Undone{Step: int(number(t, w[1])), Of: int(number(t, w[2])),
			What: strings.Join(w[3:], " ")}
	case "requires":
		s.requires(t, w[1:])
	case "fault":
		s.fault(t, w[1:])
	default:
		s.client(t, w)
	}
}

func (s *teller) requires(t testing.TB, w []string) {
	for _, x := range w {
		k, v, _ := strings.Cut(x, "=")
		switch k {
		case "contended":
			s.h.Header.Requires.Contended = int(number(t, v))
		case "strikes":
			s.h.Header.Requires.Hits = int(number(t, v))
		case "failover":
			s.h.Header.Requires.Failover = true
		case "handovers":
			s.h.Header.Requires.Handovers = int(number(t, v))
		}
	}
}

func (s *teller) count(t testing.TB, w []string) {
	n := history.Counters{Node: w[0]}
	for _, x := range w[1:] {
		k, v, _ := strings.Cut(x, "=")
		*map[string]*int64{"evicted": &n.Evicted, "deleted": &n.Deleted, "emptied": &n.Emptied}[k] =
			number(t, v)
	}
	s.counted = append(s.counted, n)
}

func (s *teller) fault(t testing.TB, w []string) {
	s.faults++
	e := history.Event{Type: history.Fault, Process: history.Harness, F: w[0], Target: w[1],
		T: number(t, w[2]), Phase: history.PhaseFrom, ID: s.faults}
	var err string
	var lasted bool
	for _, x := range w[3:] {
		e.Aimed = e.Aimed || x == "strike"
		lasted = lasted || x == "lasted"
		if v, ok := strings.CutPrefix(x, "err="); ok {
			err = strings.ReplaceAll(v, "_", " ")
		}
		if v, ok := strings.CutPrefix(x, "mode="); ok {
			e.Mode = v
		}
		if v, ok := strings.CutPrefix(x, "offset="); ok {
			e.Offset = history.Ptr(history.Duration(number(t, v)))
		}
		if v, ok := strings.CutPrefix(x, "rate="); ok {
			e.Rate = float64(number(t, v))
		}
	}
	s.add(e)
	if len(w) > 3 && w[3] != "strike" {
		e.T, e.Phase, e.Err, e.Lasted = number(t, w[3]), history.PhaseTo, err, lasted
		s.add(e)
	}
}

func (s *teller) add(e history.Event) {
	s.h.Events = append(s.h.Events, e)
	s.last = max(s.last, e.T)
}

func (s *teller) client(t testing.TB, w []string) {
	t.Helper()
	p := int(number(t, strings.TrimPrefix(w[0], "c")))
	e := history.Event{Process: p, F: w[1], T: number(t, w[2])}
	var to int64
	result := history.OK
	rest := w[3:]
	if len(rest) > 0 {
		if n, err := strconv.ParseInt(rest[0], 10, 64); err == nil {
			to, rest = n, rest[1:]
		}
	}
	g := history.Grant{}
	for _, x := range rest {
		switch x {
		case "fail", "info":
			result = history.Type(x)
		case "planned":
			e.Planned = true
		case history.Shared:
			e.Mode = x
		default:
			s.field(t, &e, &g, x)
		}
	}
	if g != (history.Grant{}) {
		e.Grant = &g
	}
	s.put(e, p, to, result)
}

func (s *teller) field(t testing.TB, e *history.Event, g *history.Grant, x string) {
	t.Helper()
	k, v, _ := strings.Cut(x, "=")
	switch k {
	case "sent":
		g.Sent = number(t, v)
	case "lease":
		g.Lease = history.Duration(number(t, v))
	case "valid":
		g.ValidUntil = number(t, v)
	case "token":
		g.Token = number(t, v)
	case "node":
		g.Node = v
	case "key":
		e.Key = history.Ptr(int(number(t, v)))
	case "keys":
		for _, k := range strings.Split(v, ",") {
			e.Keys = append(e.Keys, int(number(t, k)))
		}
	case "depth":
		e.Depth = int(number(t, v))
	case "n":
		e.N = int(number(t, v))
	case "value":
		e.Value = history.Ptr(number(t, v))
	case "if":
		e.If = history.Ptr(number(t, v))
	case "gap":
		e.Gap = history.Duration(number(t, v))
	case "action": // of a gap: what the harness took long for
		e.Target = v
	case "server": // of a gap: which one did not answer
		e.Phase = v
	case "why":
		e.Why = history.Refusal(v)
	case "err":
		e.Err = strings.ReplaceAll(v, "_", " ")
	default:
		t.Fatalf("what is %q?", x)
	}
}

// put adds the one or two events of a client's statement and numbers the acquisition.
func (s *teller) put(e history.Event, p int, to int64, result history.Type) {
	switch e.F {
	case "kill", "exit", "gap", "lost", "extend":
		if e.F == "extend" && to != 0 {
			break
		}
		e.Type, e.F = history.Type(e.F), e.Target
		if e.Phase != "" {
			e.Target, e.Phase = e.Phase, ""
		}
		if e.N == 0 && len(s.held[p]) > 0 {
			e.N = s.held[p][len(s.held[p])-1]
		}
		s.add(e)
		return
	case history.Acquire:
		s.n[p]++
		e.N = s.n[p]
		if result == history.OK && to != 0 {
			s.held[p] = append(s.held[p], e.N)
		}
	}
	if e.N == 0 && len(s.held[p]) > 0 {
		e.N = s.held[p][len(s.held[p])-1]
	}
	if e.F == history.Release && len(s.held[p]) > 0 {
		s.held[p] = s.held[p][:len(s.held[p])-1]
	}
	invoke := e
	invoke.Type, invoke.Grant, invoke.Err, invoke.Why = history.Invoke, nil, "", history.Taken
	s.add(invoke)
	if to != 0 {
		e.Type, e.T = result, to
		s.add(e)
	}
}

func number(t testing.TB, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// show writes the properties of a verdict in one line: "S=violated L=valid".
func show(v *Verdict) string {
	var out []string
	for _, p := range v.Properties {
		out = append(out, fmt.Sprintf("%s=%s", p.Property, p.Verdict))
	}
	return strings.Join(out, " ")
}
