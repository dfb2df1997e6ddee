package reporttest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/store"
)

// Matrix returns a made-up campaign: four locks under four faults. Words is the text of each
// counterexample.
func Matrix(t testing.TB, words string) *matrix.Matrix {
	t.Helper()
	o := matrix.Options{Rows: []string{"setnx", "getset", "token-lua constant",
		"redlock per attempt"}, Columns: []string{"none", "crash", "pause", "failover"},
		Environment: "process",
		TTL:         500 * time.Millisecond, Seed: 1}
	found := map[string]string{"setnx|crash": "D", "getset|pause": "SLO", "getset|failover": "SLOR",
		"token-lua constant|pause": "S", "token-lua constant|failover": "R",
		"redlock per attempt|pause": "S"}
	var rs []matrix.Result
	for _, row := range o.Rows {
		for _, column := range o.Columns {
			r := matrix.Result{Format: batch.Format, Row: row, Column: column, Nemesis: column,
				Attempt: 1, Dir: "runs/" + strings.ReplaceAll(row, " ", "-") + "/" + column}
			r.Finding = batch.Finding{Verdict: checker.Valid, Properties: map[string]checker.Result{},
				Classes: map[string]string{}, Explanations: map[string]string{}, Reasons: map[string]string{}}
			for _, l := range batch.Properties {
				r.Properties[l] = checker.Valid
				if strings.Contains(found[row+"|"+column], l) {
					r.Properties[l], r.Classes[l], r.Explanations[l] = checker.Violated,
						checker.LeaseOverrun, words
				}
			}
			if row == "redlock per attempt" && column == "failover" {
				r.Properties["S"], r.Reasons["S"] = checker.Unknown, "the machine stalled"
			}
			rs = append(rs, r)
		}
	}
	m, err := matrix.New(o, rs)
	if err != nil {
		t.Fatal(err)
	}
	m.Versions = map[string]string{"redis": "7.0.15"}
	for _, row := range o.Rows {
		m.Costs = append(m.Costs, matrix.RowCost{Row: row, Clients: 4, Hold: history.Duration(5e6),
			AfterCrash: history.Duration(5e8),
			Cost: batch.Cost{Grants: 100, AcquireP50: 7e6, AcquireP99: 9e7, Throughput: 110,
				Commands: 5.25}})
	}
	return m
}

// hostile are texts that a history may contain and that a page must never obey.
var Hostile = []string{
	`</script><img src=x onerror="window.pwned=1">`, `"><svg onload=window.pwned=1>`,
	`' onmouseover='window.pwned=1`,
	"NUL\x00and\x1b[31mescape", "\u202Egnitirw sthgir ot tfel", "not\xffUTF-8", "line\u2028separator",
	`{{.Plan}} ${alert(1)}`, "<!--<script>", `]]></style><script>window.pwned=1</script>`,
}

// HostileRun returns a failed run with hostile text in every field that can have text.
func HostileRun(t testing.TB) *store.Run {
	r := NewRun(t, Scene{Clients: 4, Cycles: 14, Fail: true})
	all := strings.Join(Hostile, " ")
	h := &r.History.Header
	h.Impl, h.Nemesis, h.Environment, h.Workload, h.Started, h.Expect = all, all, all, all, all, all
	h.Command, h.Versions = all, map[string]string{all: all}
	for i := range r.History.Events {
		e := &r.History.Events[i]
		e.Err = Hostile[i%len(Hostile)]
		if e.Type == history.Fault {
			e.F, e.Target = Hostile[i%len(Hostile)], Hostile[(i+1)%len(Hostile)]
		}
		if e.Grant != nil {
			e.Grant.Node = all
		}
	}
	for i := range r.Trace {
		c := &r.Trace[i]
		c.Args = append(c.Args, Hostile[i%len(Hostile)])
		c.Reply, c.Node = Hostile[i%len(Hostile)], Hostile[i%3]
		if i%4 == 0 {
			c.Err = Hostile[i%len(Hostile)]
		}
	}
	r.Nodes[all] = r.Nodes["n0"]
	v := r.Verdict
	v.Summary, v.HarnessError, v.Expect = all, all, all
	v.Porcupine.Version, v.Porcupine.Result = all, all
	for i := range v.Properties {
		p := &v.Properties[i]
		p.Explanation, p.Class, p.Assumption, p.Reason = all, all, all, all
		if p.Witness != nil {
			p.Witness.Commands = append(p.Witness.Commands, checker.WitnessCommand{Effect: all})
			for j := range p.Witness.Commands {
				p.Witness.Commands[j].Node, p.Witness.Commands[j].Effect = Hostile[j%len(Hostile)], all
			}
		}
	}
	v.Properties = append(v.Properties, checker.Property{Property: all, Reason: all})
	r.Plan, _ = json.Marshal(map[string]string{"impl": all})
	return r
}

// Nasty is a text that tries to get out of a page of any kind.
const Nasty = "</testcase>]]><script>alert(1)</script> & \"quotes\" 'too' | `code` ``` " +
	"@everyone #1 " +
	"\x00\x1b[31m\x7f \u202egnp.exe\xff\n# heading\n"
