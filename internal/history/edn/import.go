package edn

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
	"olympos.io/encoding/edn"
)

// importer turns the operations of a Jepsen history into events.
type importer struct {
	options Options
	v       *history.Validator
	events  []history.Event
	dropped map[int]bool     // events that are left out
	last    int64            // stamp of the latest event
	clock   map[int]int64    // latest :time, by process
	open    map[int]int      // index of the open invocation, by process
	count   map[int]int      // acquire calls, by process
	held    map[ownKey][]int // acquisitions without a successful release, by process and key
	owner   map[int64]int    // process of the history -> our process: the owner's first one
	values  map[string]int64
	faults  map[string]int // nemesis operations that have begun, by function
	fault   int
	untimed bool // no operation has a time
}

type ownKey struct{ process, key int }

func newImporter(o Options, ops []operation) *importer {
	return &importer{
		options: o, v: history.NewValidator(), events: make([]history.Event, 0, len(ops)+1),
		dropped: map[int]bool{}, clock: map[int]int64{},
		open: map[int]int{}, count: map[int]int{},
		held: map[ownKey][]int{}, owner: owners(ops), values: map[string]int64{},
		faults:  map[string]int{},
		untimed: !slices.ContainsFunc(ops, func(o operation) bool { return o.time >= 0 }),
	}
}

// owners maps each process to the first process with the same :client. In such a history the client
// owns the lock, and it outlives a process whose outcome was unknown.
func owners(ops []operation) map[int64]int {
	first := map[string]int{}
	owner := map[int64]int{}
	for _, o := range ops {
		p, ok := o.process.(int64)
		if !ok || p < 0 || p > math.MaxInt32 {
			continue
		}
		if _, known := owner[p]; !known {
			owner[p] = int(p)
		}
		client := text(o.value, "client")
		if client == "" {
			continue
		}
		if f, known := first[client]; known {
			owner[p] = f
		} else {
			first[client] = owner[p]
		}
	}
	return owner
}

// field returns the value of a keyword in a map, or nil.
func field(v any, key string) any {
	if m, ok := v.(map[any]any); ok {
		return m[edn.Keyword(key)]
	}
	return nil
}

func text(v any, key string) string {
	if x := field(v, key); x != nil {
		return plainText(x)
	}
	return ""
}

func (i *importer) add(o *operation) error {
	p, client := o.process.(int64)
	if !client {
		return i.nemesis(o)
	}
	if p < 0 || p > math.MaxInt32 {
		return fmt.Errorf("process %d: clients count from 0", p)
	}
	process := i.owner[p]
	if o.time >= 0 && o.time < i.clock[process] {
		return fmt.Errorf("process %d: time runs backwards, from %d to %d", p, i.clock[process], o.time)
	}
	i.clock[process] = max(i.clock[process], o.time)
	e, err := i.event(o, process)
	if err != nil {
		return err
	}
	if err := i.v.Add(e); err != nil {
		return err
	}
	i.keep(e)
	return nil
}

// stamp keeps the order of the operations and, if possible, their distance. Operations without
// times are a millisecond apart.
func (i *importer) stamp(time int64) int64 {
	step := int64(1)
	if time < 0 || time > math.MaxInt64/8 {
		step, time = 1_000_000, 0
	}
	i.last = max(i.last+step, time)
	return i.last
}

func (i *importer) event(o *operation, process int) (history.Event, error) {
	e := history.Event{Type: o.typ, T: i.stamp(o.time), Process: process, F: o.f, Err: o.err}
	if o.f == history.Acquire {
		e.Mode = o.mode
	}
	switch why := history.Refusal(o.err); why {
	case history.GaveUp, history.CalledOff, history.Unreachable, history.ServerRefused:
		e.Why = why
	}
	value := o.value
	if i.options.Independent {
		pair, ok := value.([]any)
		if !ok || len(pair) != 2 {
			return e, errors.New("an independent history needs :value [key value]")
		}
		e.Key, value = history.Ptr(i.key(pair[0])), pair[1]
	}
	for _, key := range []any{o.key, field(value, "key")} {
		if key != nil {
			e.Key = history.Ptr(i.key(key))
		}
	}
	switch {
	case o.typ == history.Fail || o.typ == history.Info: // some have the error as their value
	case o.f == history.CasOp:
		if err := i.compareAndSet(&e, value); err != nil {
			return e, err
		}
	case o.f == history.ReadOp && o.typ == history.OK && value == nil:
		e.Value = history.Ptr(history.NilValue)
	case o.f == history.ReadOp || o.f == history.WriteOp:
		e.Value = i.value(value)
	}
	if token, ok := field(value, "fence").(int64); ok && o.typ == history.OK &&
		o.f == history.Acquire && token > 0 {
		e.Grant = &history.Grant{Token: token}
	}
	e.N = i.acquisition(e)
	return e, nil
}

// key returns the number of a lock or register. An integer key is its own number; any other key
// gets one.
func (i *importer) key(key any) int {
	if n, ok := key.(int64); ok {
		return int(n)
	}
	return int(i.number("key " + plainText(key)))
}

// compareAndSet reads the value [old new] of a cas. An answer may leave it out.
func (i *importer) compareAndSet(e *history.Event, value any) error {
	pair, ok := value.([]any)
	switch {
	case ok && len(pair) == 2:
		e.If, e.Value = i.orNil(pair[0]), i.orNil(pair[1])
	case value != nil || e.Type == history.Invoke:
		return errors.New("a cas needs :value [old new]")
	}
	return nil
}

func (i *importer) orNil(v any) *int64 {
	if v == nil {
		return history.Ptr(history.NilValue)
	}
	return i.value(v)
}

// value returns an integer value. A value of another type gets a number. It returns nil for nil.
func (i *importer) value(v any) *int64 {
	switch v := v.(type) {
	case nil:
		return nil
	case int64:
		return &v
	}
	return history.Ptr(i.number(plainText(v)))
}

// number gives each text a number of its own, far from the usual numbers in tests.
func (i *importer) number(s string) int64 {
	n, ok := i.values[s]
	if !ok {
		n = 1<<40 + int64(len(i.values))
		i.values[s] = n
	}
	return n
}

// acquisition numbers the acquire calls. Other operations belong to the latest acquisition without
// a release.
func (i *importer) acquisition(e history.Event) int {
	if at, ok := i.open[e.Process]; ok && e.Type != history.Invoke {
		return i.events[at].N
	}
	if e.F == history.Acquire {
		return i.count[e.Process] + 1
	}
	if h := i.held[ownKey{e.Process, e.KeyOf()}]; len(h) > 0 {
		return h[len(h)-1]
	}
	return 0
}

// keep adds a valid event and records who holds a lock.
func (i *importer) keep(e history.Event) {
	at := len(i.events)
	i.events = append(i.events, e)
	if e.Type == history.Invoke {
		i.open[e.Process] = at
		if e.F == history.Acquire {
			i.count[e.Process]++
		}
		return
	}
	invoked := i.open[e.Process]
	delete(i.open, e.Process)
	own := ownKey{e.Process, i.events[invoked].KeyOf()}
	switch held := i.held[own]; {
	case e.F == history.Acquire && e.Type != history.Fail:
		i.held[own] = append(held, e.N)
	case e.F == history.Release && e.Type == history.OK && len(held) > 0:
		i.held[own] = held[:len(held)-1]
	case e.F == history.Release && e.Type == history.Fail && !notOwner(e.Err):
		i.dropped[invoked], i.dropped[at] = true, true
	}
}

// notOwner reports whether the error of a failed release says that the caller did not have the
// lock.
func notOwner(err string) bool {
	err = strings.NewReplacer("-", " ", "_", " ").Replace(strings.ToLower(err))
	return strings.Contains(err, "not owner") || strings.Contains(err, "not the owner") ||
		strings.Contains(err, "not lock owner")
}

// nemesis records an action of the nemesis as an annotation. Jepsen writes an action at its start
// and again at its end.
func (i *importer) nemesis(o *operation) error {
	e := history.Event{Type: history.Fault, T: i.stamp(o.time), Process: history.Harness, F: o.f,
		Phase: history.PhaseFrom}
	if o.value != nil {
		e.Target = plainText(o.value)
	}
	if id, begun := i.faults[o.f]; begun {
		e.Phase, e.ID = history.PhaseTo, id
		delete(i.faults, o.f)
	} else {
		i.fault++
		e.ID = i.fault
		i.faults[o.f] = i.fault
	}
	i.events = append(i.events, e)
	return i.v.Add(e)
}

// history returns the imported history. It adds an end if the text was read as a whole.
func (i *importer) history(whole bool) *history.History {
	h := &history.History{
		Header: history.Header{Type: "header", Format: history.Format, Untimed: i.untimed},
		Events: i.events[:0]}
	processes, keys := map[int]bool{}, map[int]bool{}
	for at, e := range i.events {
		if i.dropped[at] {
			continue
		}
		if e.Process >= 0 {
			processes[e.Process] = true
			keys[e.KeyOf()] = true
		}
		h.Events = append(h.Events, e) // h.Events reuses the memory of i.events
	}
	h.Header.Clients, h.Header.Keys = len(processes), max(1, len(keys))
	if whole {
		h.Events = append(h.Events, history.Event{Type: history.End, T: i.last, Process: history.Harness})
	}
	return h
}
