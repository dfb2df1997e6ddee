package history

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// WriteEDN writes a history as Jepsen's tools read it: one map per line, the index counted anew, times in nanoseconds. Faults become :info of
// the nemesis. What Jepsen has no word for (grants, extensions, losses, kills, gaps) is left out, except for what
// EDNOptions.Values asks for. A process whose acquire or release had an unknown outcome gets a new number afterwards, as in Jepsen.
// Several locks must be written one by one (EDNOptions.Key) or as independent keys, since its models know one lock.
func WriteEDN(w io.Writer, h *History, o EDNOptions) error {
	if o.Key == nil && !o.Independent && len(keysOf(h)) > 1 {
		return fmt.Errorf("the history is about %d locks; export one of them, or make the keys independent", len(keysOf(h)))
	}
	out := bufio.NewWriter(w)
	x := exporter{options: o, name: map[int]int{}, step: clientsOf(h)}
	for _, e := range h.Events {
		if line, ok := x.line(e); ok {
			fmt.Fprintf(out, "{:index %d, %s}\n", x.index, line)
			x.index++
		}
	}
	return out.Flush()
}

type exporter struct {
	options EDNOptions
	index   int
	name    map[int]int // process -> its number in the export
	step    int
}

func clientsOf(h *History) int {
	n := h.Header.Clients
	for _, e := range h.Events {
		n = max(n, e.Process+1)
	}
	return n
}

// keysOf returns the numbers of the locks of a history.
func keysOf(h *History) []int {
	var keys []int
	for _, e := range h.Events {
		if e.Process < 0 || e.F == "" {
			continue
		}
		for _, k := range append(slices.Clone(e.Keys), e.KeyOf()) {
			if !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	return keys
}

// line returns the fields of an event after the index, and whether Jepsen knows such a thing.
func (x *exporter) line(e Event) (string, bool) {
	if e.Type == Fault {
		return fmt.Sprintf(":time %d, :type :info, :process :nemesis, :f %s, :value %s", e.T, keyword(e.F), quote(e.Target)), true
	}
	if e.Process < 0 || e.Type != Invoke && !e.Type.Completes() {
		return "", false
	}
	if k := x.options.Key; k != nil && *k != e.KeyOf() && !slices.Contains(e.Keys, *k) {
		return "", false
	}
	s := fmt.Sprintf(":time %d, :type %s, :process %d, :f %s, :value %s", e.T, keyword(string(e.Type)), x.process(e), keyword(e.F), x.value(e))
	if err := e.Err; err != "" && e.Type != OK {
		if e.F == Release && e.Type == Fail && notOwner(err) {
			return s + ", :error :not-owner", true
		}
		return s + ", :error " + quote(err), true
	}
	return s, true
}

// process returns the number of a client in the export.
func (x *exporter) process(e Event) int {
	n, ok := x.name[e.Process]
	if !ok {
		n = e.Process
	}
	if e.Type == Info && (e.F == Acquire || e.F == Release) {
		x.name[e.Process] = n + x.step
	}
	return n
}

func (x *exporter) value(e Event) string {
	v := "nil"
	switch {
	case e.Value != nil:
		v = strconv.FormatInt(*e.Value, 10)
	case x.options.Values && e.F == Acquire && e.Type == OK:
		v = x.grant(e)
	}
	if x.options.Independent {
		return fmt.Sprintf("[%d %s]", e.KeyOf(), v)
	}
	return v
}

func (x *exporter) grant(e Event) string {
	fence := "nil"
	if e.Grant != nil && e.Grant.Token != 0 {
		fence = strconv.FormatInt(e.Grant.Token, 10)
	}
	return fmt.Sprintf(`{:client "%d", :fence %s, :uid "%d-%d", :key %d}`, e.Process, fence, e.Process, e.N, e.KeyOf())
}

// keyword writes a word as a keyword: what cannot stand in one becomes a dash.
func keyword(s string) string {
	return ":" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, s)
}

// quote writes a string of EDN.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s) + `"`
}
