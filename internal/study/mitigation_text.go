package study

import (
	"bufio"
	"fmt"
	"io"
	"text/tabwriter"
)

// Markdown writes the table of mitigations: what each mends, what it does not, and what it costs.
func (m *MitigationReport) Markdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b,
		"Each fault %d times without and with what is said to mend it, on %s, lease %s. \"SL 5/5\": found in 5 of 5 runs; \"-\": in none. The cost is the median of an acquire that nobody contends for, without any fault. S without L under a failover or a restart: the machine was so slow that the lease ended meanwhile.\n",
		m.Repeat, redisOf(m.Versions), m.TTL.D())
	for _, one := range mitigations {
		fmt.Fprintf(b, "\n**`%s`**: %s.\n\n| lock | fault | without | with |\n|---|---|---|---|\n",
			one.Name, one.Line)
		var not []string
		var last MitigationCell
		for _, t := range m.of(one.Name) {
			last = t
			fmt.Fprintf(b, "| %s | `%s`: %s | %s | %s |\n", t.Row, t.Nemesis, t.Line, t.Without.told(t),
				t.With.told(t))
			if len(t.With.Violated) > 0 {
				not = append(not, "`"+t.Nemesis+"`")
			}
		}
		fmt.Fprintf(b, "\nAcquire: %s without, %s with.", spell(last.Without.Acquire),
			spell(last.With.Acquire))
		if len(not) > 0 {
			fmt.Fprintf(b, " Does not mend: %s.", distinct(not))
		}
		fmt.Fprintln(b)
	}
	return b.Flush()
}

// told adds how long nobody was granted the lock, where the fault is about that.
func (t Trials) told(m MitigationCell) string {
	s := oneLine(t.String())
	if m.Nemesis == "crash" {
		s += fmt.Sprintf("; granted again after %s", spell(t.Recovery))
	}
	return s
}

// Text writes the same for a terminal.
func (m *MitigationReport) Text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, one := range mitigations {
		fmt.Fprintf(t, "%s\twithout\twith\n", one.Name)
		for _, x := range m.of(one.Name) {
			fmt.Fprintf(t, "  %s, %s: %s\t%s\t%s\n", x.Row, x.Nemesis, x.Line, x.Without.told(x),
				x.With.told(x))
		}
		if xs := m.of(one.Name); len(xs) > 0 {
			fmt.Fprintf(t, "  acquire\t%s\t%s\n", spell(xs[0].Without.Acquire), spell(xs[0].With.Acquire))
		}
	}
	return t.Flush()
}

func (m *MitigationReport) of(mitigation string) (out []MitigationCell) {
	for _, t := range m.Cells {
		if t.Mitigation == mitigation {
			out = append(out, t)
		}
	}
	return out
}

// distinct is the different words of a list.
func distinct(words []string) string {
	out, seen := "", map[string]bool{}
	for _, w := range words {
		if seen[w] {
			continue
		}
		seen[w] = true
		if out != "" {
			out += ", "
		}
		out += w
	}
	return out
}

func redisOf(versions map[string]string) string {
	if v := versions["redis"]; v != "" {
		return "Redis " + v
	}
	return "Redis"
}
