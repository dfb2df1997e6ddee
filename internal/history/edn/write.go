package edn

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
)

// Write writes a history for Jepsen's tools: one map per line, with a new index and times in
// nanoseconds. Faults become :info of the nemesis. Write leaves out grants, extensions, losses,
// kills and gaps, because Jepsen has no words for them; Options.Values keeps the grants' data. A
// process whose acquire or release had an unknown outcome gets a new number afterwards, as in
// Jepsen. Jepsen's models know one lock. Therefore several locks must be written one by one
// (Options.Key) or as independent keys. A shared hold has :mode :shared. Jepsen's mutex model
// ignores that, and reports two shared holds as a violation.
func Write(w io.Writer, h *history.History, o Options) error {
	return export(w, h, o, jepsenOp.line)
}

// WriteText writes the same history in the form of Jepsen's history.txt: process, type, function,
// value and error, separated by tabs.
func WriteText(w io.Writer, h *history.History, o Options) error {
	return export(w, h, o, jepsenOp.text)
}

func export(w io.Writer, h *history.History, o Options, line func(jepsenOp) string) error {
	if o.Key == nil && !o.Independent && len(h.Locks()) > 1 {
		return fmt.Errorf(
			"the history is about %d locks; export one of them, or make the keys independent",
			len(h.Locks()))
	}
	out := bufio.NewWriter(w)
	x := exporter{options: o, name: map[int]int{}, step: clientsOf(h)}
	for _, e := range h.Events {
		if op, ok := x.op(e); ok {
			op.index = x.index
			fmt.Fprintln(out, line(op))
			x.index++
		}
	}
	return out.Flush()
}

// jepsenOp is an operation of Jepsen. Its texts are EDN.
type jepsenOp struct {
	index                         int
	time                          int64
	typ, process, f, value, error string
	mode                          string // of an acquire that shares the lock; not a key of Jepsen
}

func (o jepsenOp) line() string {
	s := fmt.Sprintf("{:index %d, :time %d, :type %s, :process %s, :f %s, :value %s", o.index, o.time,
		o.typ, o.process, o.f, o.value)
	if o.mode != "" {
		s += ", :mode " + o.mode
	}
	if o.error != "" {
		s += ", :error " + o.error
	}
	return s + "}"
}

func (o jepsenOp) text() string {
	fields := []string{o.process, o.typ, o.f, o.value}
	if o.mode != "" {
		fields = append(fields, o.mode)
	}
	if o.error != "" {
		fields = append(fields, o.error)
	}
	return strings.Join(fields, "\t")
}

type exporter struct {
	options Options
	index   int
	name    map[int]int // process -> its number in the export
	step    int
}

func clientsOf(h *history.History) int {
	n := h.Header.Clients
	for _, e := range h.Events {
		n = max(n, e.Process+1)
	}
	return n
}

// op converts an event to an operation of Jepsen. It returns false if Jepsen has no such operation.
func (x *exporter) op(e history.Event) (jepsenOp, bool) {
	if e.Type == history.Fault {
		return jepsenOp{time: e.T, typ: ":info", process: ":nemesis", f: keyword(e.F),
			value: quote(e.Target)}, true
	}
	if e.Process < 0 || e.Type != history.Invoke && !e.Type.Completes() {
		return jepsenOp{}, false
	}
	if k := x.options.Key; k != nil && *k != e.KeyOf() && !slices.Contains(e.Keys, *k) {
		return jepsenOp{}, false
	}
	o := jepsenOp{time: e.T, typ: keyword(string(e.Type)), process: strconv.Itoa(x.process(e)),
		f: keyword(e.F), value: x.value(e)}
	if e.Mode != "" {
		o.mode = keyword(e.Mode)
	}
	if err := e.Err; err != "" && e.Type != history.OK {
		o.error = quote(err)
		if e.Why != history.Taken {
			o.error = keyword(string(e.Why))
		}
		if e.F == history.Release && e.Type == history.Fail && notOwner(err) {
			o.error = ":not-owner"
		}
	}
	return o, true
}

// process returns the number of a client in the export.
func (x *exporter) process(e history.Event) int {
	n, ok := x.name[e.Process]
	if !ok {
		n = e.Process
	}
	if e.Type == history.Info && (e.F == history.Acquire || e.F == history.Release) {
		x.name[e.Process] = n + x.step
	}
	return n
}

func (x *exporter) value(e history.Event) string {
	v := "nil"
	switch {
	case e.Value != nil:
		v = strconv.FormatInt(*e.Value, 10)
	case x.options.Values && e.F == history.Acquire && e.Type == history.OK:
		v = x.grant(e)
	}
	if x.options.Independent {
		return fmt.Sprintf("[%d %s]", e.KeyOf(), v)
	}
	return v
}

func (x *exporter) grant(e history.Event) string {
	fence := "nil"
	if e.Grant != nil && e.Grant.Token != 0 {
		fence = strconv.FormatInt(e.Grant.Token, 10)
	}
	return fmt.Sprintf(`{:client "%d", :fence %s, :uid "%d-%d", :key %d}`, e.Process, fence, e.Process,
		e.N, e.KeyOf())
}

// keyword writes a word as a keyword, with dashes for all characters that a keyword cannot have.
func keyword(s string) string {
	return ":" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, s)
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t",
		`\t`).Replace(strings.ToValidUTF8(s, "\uFFFD")) + `"`
}
