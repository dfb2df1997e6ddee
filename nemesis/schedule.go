package nemesis

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"
	"github.com/lockbench/lockbench/history"
)

// Schedule is a fault that somebody wrote: a file in YAML or JSON, as docs/formats.md has it.
type Schedule struct {
	Line          string    `yaml:"line"`           // what it does
	Topology      string    `yaml:"topology"`       // what it needs; "": one Redis, or the independent masters that the lock uses
	Replicas      int       `yaml:"replicas"`       // behind each independent master
	ClientTimeout string    `yaml:"client_timeout"` // of the clients' Redis connections; "": the plan's own
	Strikes       *int      `yaml:"strikes"`        // how many steps must strike; nil: those that are marked, or else any one
	Steps         []written `yaml:"steps"`

	file  string
	lines []int // on which each step begins
}

// written is a Step in a file. Its times may be in leases ("1.3ttl"), and be drawn.
type written struct {
	Do     string  `yaml:"do"`
	Target string  `yaml:"target"`
	Node   string  `yaml:"node"`
	Mode   string  `yaml:"mode"`
	For    string  `yaml:"for"`
	Until  string  `yaml:"until"`
	UpTo   string  `yaml:"upto"` // of a wait: its time is drawn between for, or until, and this
	Offset string  `yaml:"offset"`
	Rate   float64 `yaml:"rate"`
	Strike bool    `yaml:"strike"`
	Await  *Await  `yaml:"await"`
}

// isFile tells a file from a name.
func isFile(spec string) bool {
	return strings.ContainsAny(spec, `/\`) || slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(spec))
}

// maxSchedule bounds a file, in bytes: nobody writes more.
const maxSchedule = 1 << 20

// ReadSchedule reads a file. The error names the line.
func ReadSchedule(file string) (*Schedule, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--nemesis names a file that cannot be read: %w", err)
	}
	return DecodeSchedule(file, b)
}

// DecodeSchedule reads what a file holds. What depends on the plan is checked when the plan is made.
func DecodeSchedule(file string, b []byte) (*Schedule, error) {
	s := &Schedule{file: file}
	if len(b) > maxSchedule {
		return nil, fmt.Errorf("%s: a schedule of %d bytes is too long; at most %d are read", file, len(b), maxSchedule)
	}
	if err := yaml.NewDecoder(bytes.NewReader(b), yaml.Strict()).Decode(s); err != nil {
		return nil, fmt.Errorf("%s:%s", file, oneLine(err))
	}
	if len(s.Steps) == 0 {
		return nil, fmt.Errorf("%s:1: it has no steps", file)
	}
	if !slices.Contains([]string{"", Single, Failover, Sentinel, Independent}, s.Topology) {
		return nil, fmt.Errorf("%s: unknown topology %q; there are: %s, %s, %s, %s", file, s.Topology, Single, Failover, Sentinel, Independent)
	}
	if s.Replicas < 0 || s.Replicas > 1 || s.Replicas == 1 && s.Topology != Independent {
		return nil, fmt.Errorf("%s: replicas is %d; with the topology %s it is 0 or 1", file, s.Replicas, Independent)
	}
	s.locate(b)
	return s, nil
}

// oneLine is an error of the decoder as "line:column: what".
func oneLine(err error) string {
	first, _, _ := strings.Cut(strings.TrimSpace(yaml.FormatError(err, false, false)), "\n")
	if at, what, ok := strings.Cut(strings.TrimPrefix(first, "["), "] "); ok && strings.HasPrefix(first, "[") {
		return at + ": " + what
	}
	return " " + first
}

// locate finds the line of each step.
func (s *Schedule) locate(b []byte) {
	s.lines = make([]int, len(s.Steps))
	f, err := parser.ParseBytes(b, 0)
	if err != nil {
		return // it was read
	}
	for i := range s.Steps {
		p, err := yaml.PathString("$.steps[" + strconv.Itoa(i) + "]")
		if err != nil {
			return
		}
		if n, err := p.FilterFile(f); err == nil && n != nil && n.GetToken() != nil {
			s.lines[i] = n.GetToken().Position.Line
		}
	}
}

// wrong says on which line a step is wrong.
func (s *Schedule) wrong(err error) error {
	var step *StepError
	if errors.As(err, &step) && s.lines[step.Step] > 0 {
		return fmt.Errorf("%s:%d: %w", s.file, s.lines[step.Step], err)
	}
	return fmt.Errorf("%s: %w", s.file, err)
}

// topology is what the schedule cannot do without; "" if any will do.
func (s *Schedule) topology() string { return s.Topology }

// scenario makes the schedule ready for a plan: its times are in leases of the plan, and drawn by its seed.
func (s *Schedule) scenario(p Params) (Scenario, error) {
	out := Scenario{Topology: s.Topology, Replicas: s.Replicas}
	switch {
	case p.Nodes > 1 && (s.Topology == "" || s.Topology == Independent):
		out.Topology = Independent
	case p.Nodes > 1:
		return out, fmt.Errorf("%s needs the topology %s; this lock uses %d independent masters", s.file, s.Topology, p.Nodes)
	case s.Topology == Independent:
		return out, fmt.Errorf("%s needs a lock on independent masters, such as redlock", s.file)
	case s.Topology == "":
		out.Topology = Single
	}
	timeout, err := span(s.ClientTimeout, p)
	if err != nil {
		return out, fmt.Errorf("%s: client_timeout: %w", s.file, err)
	}
	out.Timeout = timeout.D()
	draw := rand.New(rand.NewPCG(p.Seed, 0x5c4ed01e))
	for i, w := range s.Steps {
		step, err := w.step(p, draw)
		if err != nil {
			return out, s.wrong(&StepError{i, err})
		}
		out.Steps = append(out.Steps, step)
	}
	if err := Check(out.Steps, out.Stage(p)); err != nil {
		return out, s.wrong(err)
	}
	out.Strikes = strikes(out.Steps, s.Strikes)
	return out, nil
}

// strikes is how many steps must strike. Where none is marked, any one of the faults must: one that misses every hold proves nothing.
func strikes(steps []Step, asked *int) (n int) {
	for _, s := range steps {
		if s.Strike {
			n++
		}
	}
	if asked != nil {
		return *asked
	}
	if n > 0 {
		return n
	}
	for i := range steps {
		if slices.Contains(strings.Fields(grammar[steps[i].Do].may), "strike") {
			steps[i].Strike, n = true, 1
		}
	}
	return n
}

func (w written) step(p Params, draw *rand.Rand) (s Step, err error) {
	s = Step{Do: w.Do, Target: w.Target, Node: w.Node, Mode: w.Mode, Rate: w.Rate, Strike: w.Strike, Await: w.Await}
	var upTo history.Duration
	for _, f := range []struct {
		name, text string
		to         *history.Duration
	}{{"for", w.For, &s.For}, {"until", w.Until, &s.Until}, {"upto", w.UpTo, &upTo}, {"offset", w.Offset, &s.Offset}} {
		if *f.to, err = span(f.text, p); err != nil {
			return s, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if w.UpTo == "" {
		return s, nil
	}
	return s, drawn(&s, upTo, draw)
}

// drawn makes a time that is random one that is not.
func drawn(s *Step, upTo history.Duration, draw *rand.Rand) error {
	at := &s.For
	if s.Until > 0 {
		at = &s.Until
	}
	switch {
	case s.Do != Wait:
		return fmt.Errorf(`"upto" is for a %s`, Wait)
	case upTo <= *at:
		return fmt.Errorf(`"upto" is %v; it must be later than %v`, upTo, *at)
	}
	*at += history.Duration(draw.Int64N(int64(upTo-*at)) + 1)
	return nil
}

// span reads a time: "130ms", or in leases "1.3ttl"; "" is none.
func span(text string, p Params) (history.Duration, error) {
	if text == "" {
		return 0, nil
	}
	if number, ok := strings.CutSuffix(text, "ttl"); ok {
		f, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || f < -maxLeases || f > maxLeases {
			return 0, fmt.Errorf("%q is no number of leases; write it like %q, at most %d", text, "1.3ttl", maxLeases)
		}
		return history.Duration(f * float64(p.TTL)), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is no time; write it like %q or, in leases, %q", text, "130ms", "1.3ttl")
	}
	return history.Duration(d), nil
}

// maxLeases keeps a time in the range of what can be counted.
const maxLeases = 1000
