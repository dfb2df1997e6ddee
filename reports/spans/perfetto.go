package spans

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strconv"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/reports/view"
)

// chromeFile is a file of Chrome's trace event format, which ui.perfetto.dev opens.
type chromeFile struct {
	Events []chromeEvent  `json:"traceEvents"`
	Unit   string         `json:"displayTimeUnit"`
	Other  map[string]any `json:"otherData"`
}

// chromeEvent is one event. Times are in microseconds.
type chromeEvent struct {
	Phase string         `json:"ph"`
	Name  string         `json:"name"`
	Cat   string         `json:"cat,omitempty"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	TS    json.Number    `json:"ts"`
	Dur   json.Number    `json:"dur,omitempty"`
	ID    int            `json:"id,omitempty"`
	Bind  string         `json:"bp,omitempty"`
	Scope string         `json:"s,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// chrome collects the events of a run.
type chrome struct {
	events []chromeEvent
	holds  map[hold]chromeEvent // where each hold is drawn
	tid    int
}

// WritePerfetto writes a run in Chrome's trace event format: processes are kinds of tracks, threads
// are lanes, and flows join the holds of a violation.
func WritePerfetto(w io.Writer, v *view.View) error {
	c := &chrome{holds: map[hold]chromeEvent{}}
	for k, name := range kinds {
		c.meta("process_name", k+1, 0, "name", name)
		c.meta("process_sort_index", k+1, 0, "sort_index", k)
	}
	tracks := tracksOf(v)
	for _, t := range tracks {
		c.track(t)
	}
	for _, t := range tracks {
		c.flows(t)
	}
	h := v.History.Header
	return history.WriteDocument(w, chromeFile{c.events, "ns", map[string]any{"lock": h.Impl,
		"fault": h.Nemesis, "seed": strconv.FormatUint(h.Seed, 10), "command": h.Command}})
}

func (c *chrome) meta(what string, pid, tid int, key string, value any) {
	c.events = append(c.events, chromeEvent{Phase: "M", Name: what, PID: pid, TID: tid, TS: "0",
		Args: map[string]any{key: value}})
}

func (c *chrome) track(t track) {
	pid, first := int(t.kind)+1, c.tid+1
	for lane := range t.lanes() {
		c.tid++
		name := t.name
		if lane > 0 {
			name = fmt.Sprintf("%s (%d)", t.name, lane+1)
		}
		c.meta("thread_name", pid, c.tid, "name", name)
		c.meta("thread_sort_index", pid, c.tid, "sort_index", c.tid)
	}
	for _, s := range t.spans {
		e := chromeEvent{Phase: "X", Name: s.name, Cat: kinds[t.kind], PID: pid, TID: first + s.lane,
			TS: micros(s.from), Dur: micros(s.to - s.from), Args: s.args()}
		c.events = append(c.events, e)
		if s.hold.n > 0 {
			c.holds[s.hold] = e
		}
	}
	for _, m := range t.marks {
		c.events = append(c.events, chromeEvent{Phase: "i", Name: m.text, Cat: kinds[t.kind], PID: pid,
			TID: first, TS: micros(m.t), Scope: "t"})
	}
}

// flows draws an arrow from each hold of a violation to the next.
func (c *chrome) flows(t track) {
	if t.kind != violations {
		return
	}
	for _, s := range t.spans {
		for i := 1; i < len(s.links); i++ {
			from, drawn := c.holds[s.links[i-1].to]
			to, also := c.holds[s.links[i].to]
			if drawn && also {
				c.flow(len(c.events), from, to, s.links[i].violation)
			}
		}
	}
}

func (c *chrome) flow(id int, from, to chromeEvent, name string) {
	for _, e := range []chromeEvent{{Phase: "s", PID: from.PID, TID: from.TID, TS: from.TS},
		{Phase: "f", PID: to.PID, TID: to.TID, TS: to.TS, Bind: "e"}} {
		e.Name, e.Cat, e.ID = name, kinds[violations], id
		c.events = append(c.events, e)
	}
}

func (s span) args() map[string]any {
	if s.failed == "" {
		return s.details
	}
	all := map[string]any{"failed": s.failed}
	maps.Copy(all, s.details)
	return all
}

func micros(ns int64) json.Number {
	return json.Number(strconv.FormatFloat(float64(ns)/1e3, 'f', 3, 64))
}
