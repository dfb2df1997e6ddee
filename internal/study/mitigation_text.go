package study

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// told adds how long no client was granted the lock, where the fault is about that.
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

func redisOf(versions map[string]string) string {
	if v := versions["redis"]; v != "" {
		return "Redis " + v
	}
	return "Redis"
}
