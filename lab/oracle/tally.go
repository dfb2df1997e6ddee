package oracle

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/lockbench/lockbench/checker/verdict"
)

// Tally counts outcomes.
type Tally struct {
	mu               sync.Mutex
	show             int
	runs, impossible int
	violations       map[string]int
	kinds            map[string][]string // the lines of each kind of difference or miss
	counts           map[string]int
}

// NewTally returns a tally that keeps some lines of each kind.
func NewTally(show int) *Tally {
	return &Tally{show: show, violations: map[string]int{}, kinds: map[string][]string{},
		counts: map[string]int{}}
}

// Add adds a run.
func (t *Tally) Add(l Line, o *Outcome, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		t.impossible++
		return
	}
	t.runs++
	for _, p := range o.Verdict.Properties {
		if p.Verdict == verdict.Violated {
			t.violations[strings.TrimSpace(p.Property+" "+p.Class)]++
		}
	}
	for _, d := range o.Differences {
		t.note(differs+kindOf(d), l)
	}
	for _, d := range o.Missed {
		t.note("missed "+kindOf(d), l)
	}
}

// differs is the prefix of the kinds of differences.
const differs = "DIFFERS "

// Differences returns the kinds of differences that occurred.
func (t *Tally) Differences() (kinds []string) {
	for _, k := range slices.Sorted(maps.Keys(t.counts)) {
		if strings.HasPrefix(k, differs) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// Lines returns the kept lines of a kind.
func (t *Tally) Lines(kind string) []string { return t.kinds[kind] }

var numbers = regexp.MustCompile(`[0-9]+`)

// kindOf returns a difference without its numbers.
func kindOf(d Difference) string {
	words := d.String()
	if i := strings.Index(words, ": ["); i > 0 && d.What != "class" {
		words = words[:i]
	}
	return numbers.ReplaceAllString(words, "#")
}

func (t *Tally) note(kind string, l Line) {
	if len(kind) > 160 {
		kind = kind[:160]
	}
	t.counts[kind]++
	if len(t.kinds[kind]) < t.show {
		t.kinds[kind] = append(t.kinds[kind], l.String())
	}
}

// String formats the counts.
func (t *Tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d runs, %d impossible\n", t.runs, t.impossible)
	for _, k := range slices.Sorted(maps.Keys(t.violations)) {
		fmt.Fprintf(&b, "%6d %s\n", t.violations[k], k)
	}
	for _, k := range slices.Sorted(maps.Keys(t.counts)) {
		fmt.Fprintf(&b, "%6d %s\n         %s\n", t.counts[k], k, strings.Join(t.kinds[k], "\n         "))
	}
	return b.String()
}
