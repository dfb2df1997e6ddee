package reporttest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/store"
)

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
