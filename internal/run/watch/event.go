package watch

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/units"
)

// Kind is the kind of an event.
type Kind string

// The kinds. The first four are findings, the next three evidence, and the others routine.
const (
	Overrun       Kind = "overrun"        // a release or renewal after the lease was over
	ForeignDelete Kind = "foreign-delete" // a client deleted or overwrote the key of another's hold
	NoLease       Kind = "no-lease"       // a held key never ends
	Vanished      Kind = "vanished"       // the server removed the key of a running hold
	Orphan        Kind = "orphan"         // its connection was closed, and the key refused others
	Starving      Kind = "starving"       // a connection loses far too often
	Lost          Kind = "lost"           // after a failover, the key of a hold is not there
	Acquired      Kind = "acquired"
	Refused       Kind = "refused"
	Renewed       Kind = "renewed"
	Released      Kind = "released"
)

// Evidence lists the kinds that decide nothing.
var Evidence = []Kind{Lost, Orphan, Starving}

// Findings lists the kinds that make a watch end with exit code 1, worst first.
var Findings = []Kind{ForeignDelete, Vanished, Overrun, NoLease}

// Finding reports whether the kind is one of Findings.
func (k Kind) Finding() bool { return slices.Contains(Findings, k) }

// Routine reports whether the kind is the ordinary work of a lock.
func (k Kind) Routine() bool {
	return k == Acquired || k == Refused || k == Renewed || k == Released
}

// Event is one certain fact about a lock.
type Event struct {
	lock    *lock
	At      int64    `json:"at"` // µs since 1970, by the server's clock
	Kind    Kind     `json:"kind"`
	Key     string   `json:"key"`
	Client  string   `json:"client"`          // the address of the connection that it is about
	Value   string   `json:"value,omitempty"` // masked
	Text    string   `json:"text,omitempty"`
	Witness []string `json:"witness,omitempty"` // commands with stamp and address
}

// String returns the event in one line.
func (e Event) String() string {
	line := fmt.Sprintf("%s %-14s %s  %s", clock(e.At), e.Kind, name(e.Key), e.Client)
	if e.Value != "" {
		line += " " + e.Value
	}
	if e.Text != "" {
		line += ": " + e.Text
	}
	if len(e.Witness) > 0 && !e.Kind.Routine() {
		line += " [" + strings.Join(e.Witness, " | ") + "]"
	}
	return line
}

func clock(us int64) string { return time.UnixMicro(us).UTC().Format("15:04:05.000000") }

func span(us int64) string { return units.Span(us * 1000) }

// tell queues an event about a hold, which is one without a value if only its connection is known.
func (o *journal) tell(l *lock, at int64, k Kind, h *hold, text string, proof ...string) {
	e := Event{lock: l, At: at, Kind: k, Key: l.name, Client: h.from, Text: text, Witness: proof}
	if h.value != "" {
		e.Value = Mask(h.value)
	}
	o.queue = append(o.queue, e)
}

// tellRoutine queues an event of the ordinary work, if someone listens.
func (o *journal) tellRoutine(l *lock, s *step, k Kind, h *hold) {
	if o.Routine && o.Emit != nil {
		o.tell(l, s.At, k, &hold{from: s.From, value: h.value}, "", witness(s.Shown, l.name))
	}
}

// Stats are the numbers of one key.
type Stats struct {
	Name     string  `json:"name,omitempty"` // from the mapping file
	Shape    string  `json:"shape,omitempty"`
	Acquired int     `json:"acquired"`
	Refused  int     `json:"refused"`
	Renewed  int     `json:"renewed"`
	Released int     `json:"released"`
	Expired  int     `json:"expired"`
	Wait     Spread  `json:"wait"`
	Hold     Spread  `json:"hold"`
	Share    float64 `json:"lease_share"` // the largest part of its lease that a hold used
	// commands for the key while its state was unknown, and times when the model lost track
	Unjudged     int `json:"unjudged,omitempty"`
	Contradicted int `json:"contradicted,omitempty"`
	// deletions by another connection than the one that took the key, or after its lease, which may be
	// the same client's
	Elsewhere   int          `json:"freed_by_other_connection,omitempty"`
	Overwritten int          `json:"overwritten,omitempty"`
	Strange     string       `json:"strange,omitempty"` // a command that the model does not know
	Found       map[Kind]int `json:"found,omitempty"`
}

// Spread sums up durations in bounded memory, exact to a twentieth.
type Spread struct {
	N       int   `json:"n"`
	P50     int64 `json:"p50_us"`
	P99     int64 `json:"p99_us"`
	Longest int64 `json:"longest_us"`
	sum     int64
	buckets map[int]int // 16 for each power of two
}

// add counts a duration in µs.
func (p *Spread) add(us int64) {
	us = max(us, 0)
	p.N++
	p.sum += us
	p.Longest = max(p.Longest, us)
	if p.buckets == nil {
		p.buckets = map[int]int{}
	}
	p.buckets[int(16*math.Log2(float64(us+1)))]++
}

func (p *Spread) quantile(q float64) int64 {
	rank := int(math.Ceil(q * float64(p.N)))
	for _, b := range slices.Sorted(maps.Keys(p.buckets)) {
		if rank -= p.buckets[b]; rank <= 0 {
			return min(int64(math.Ceil(math.Exp2(float64(b+1)/16)))-2, p.Longest)
		}
	}
	return 0
}

func (p *Spread) settle() { p.P50, p.P99 = p.quantile(.5), p.quantile(.99) }

// KeyStats are the numbers of a key with its name.
type KeyStats struct {
	Key string `json:"key"`
	Stats
}

// maxEvents bounds the findings and the evidence that a summary keeps.
const maxEvents = 200

// Summary is the result of a watch.
type Summary struct {
	Answer     string       `json:"answer"`
	Exit       int          `json:"exit"`
	Taken      int          `json:"acquired"`
	Commands   int          `json:"commands"`
	First      int64        `json:"first"` // stamps, µs since 1970
	Last       int64        `json:"last"`
	Keys       []KeyStats   `json:"keys"`
	Dropped    int          `json:"keys_dropped,omitempty"` // keys whose statistics were given up
	Found      map[Kind]int `json:"found,omitempty"`
	Events     []Event      `json:"events,omitempty"` // the first findings, and the first evidence
	Lost       []string     `json:"lost_track,omitempty"`
	Unreadable int          `json:"unreadable,omitempty"` // lines that are no commands
	Withheld   int          `json:"withheld,omitempty"`   // events that an eviction made uncertain
	Unjudged   int          `json:"unjudged,omitempty"`   // of all keys, also of those without a lock
	// ends of leases with a write too near to them, and the commands of Unjudged that came after one
	Near      int `json:"near_lease_end,omitempty"`
	AfterNear int `json:"unjudged_after_near,omitempty"`
}

// count1 counts an event in the summary.
func (o *journal) count1(e Event) {
	if e.Kind.Routine() {
		return
	}
	o.Found[e.Kind]++
	if len(o.Events) < maxEvents {
		o.Events = append(o.Events, e)
	}
	if e.lock.Found == nil {
		e.lock.Found = map[Kind]int{}
	}
	e.lock.Found[e.Kind]++
}

// Table returns the numbers of the keys now, the busiest first.
func (k *keyspace) Table() (all []KeyStats) {
	for _, l := range k.locks {
		if l.Shape == "" && l.Strange == "" {
			continue
		}
		l.Wait.settle()
		l.Hold.settle()
		all = append(all, KeyStats{name(l.name), l.Stats})
	}
	slices.SortFunc(all, func(a, b KeyStats) int {
		return cmp.Or(cmp.Compare(b.found(), a.found()),
			cmp.Compare(b.Acquired+b.Refused, a.Acquired+a.Refused), cmp.Compare(a.Key, b.Key))
	})
	return all
}

func (s Stats) found() (n int) {
	for k, m := range s.Found {
		if k.Finding() {
			n += m
		}
	}
	return n
}

// summarize writes the answer.
func (o *journal) summarize() {
	locks, bad, elsewhere := o.Dropped, 0, 0
	for _, k := range o.Keys {
		elsewhere += k.Elsewhere
		if k.Acquired > 0 {
			locks++
		}
		if k.found() > 0 {
			bad++
		}
	}
	over := fmt.Sprintf("%s in %s", units.Count(o.Commands, "command"), span(o.Last-o.First))
	switch found := countsOf(o.Found, Findings); {
	case len(found) > 0:
		o.Exit = 1
		o.Answer = fmt.Sprintf("Violated: %s, in %d of %s; %s.", strings.Join(found, ", "), bad,
			units.Count(max(locks, bad), "lock"), over)
	case o.Taken == 0:
		o.Exit = 2
		o.Answer = fmt.Sprintf("Unknown: no lock was seen to be taken on keys that match %q; %s.",
			o.Pattern, over)
	case elsewhere > 0: // any of them may be another client's, or late
		o.Exit = 2
		o.Answer = fmt.Sprintf("Unknown: %s could not be judged, and no defect was seen in %s of %s; %s.",
			units.Count(elsewhere, "deletion"), units.Count(o.Taken, "acquisition"),
			units.Count(locks, "lock"), over)
	default:
		o.Answer = fmt.Sprintf("No defect seen: %s of %s; %s.",
			units.Count(o.Taken, "acquisition"), units.Count(locks, "lock"), over)
	}
}
