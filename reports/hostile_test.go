package reports

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/store"
	"github.com/lockbench/lockbench/reports/page"
)

// hostile are texts that a history may contain and that a page must never obey.
var hostile = []string{
	`</script><img src=x onerror="window.pwned=1">`, `"><svg onload=window.pwned=1>`,
	`' onmouseover='window.pwned=1`,
	"NUL\x00and\x1b[31mescape", "\u202Egnitirw sthgir ot tfel", "not\xffUTF-8", "line\u2028separator",
	`{{.Plan}} ${alert(1)}`, "<!--<script>", `]]></style><script>window.pwned=1</script>`,
}

// hostileRun is a failed run that says something hostile wherever it may say anything.
func hostileRun(t testing.TB) *store.Run {
	r := newRun(t, scene{clients: 4, cycles: 14, fail: true})
	all := strings.Join(hostile, " ")
	h := &r.History.Header
	h.Impl, h.Nemesis, h.Environment, h.Workload, h.Started, h.Expect = all, all, all, all, all, all
	h.Command, h.Versions = all, map[string]string{all: all}
	for i := range r.History.Events {
		e := &r.History.Events[i]
		e.Err = hostile[i%len(hostile)]
		if e.Type == history.Fault {
			e.F, e.Target = hostile[i%len(hostile)], hostile[(i+1)%len(hostile)]
		}
		if e.Grant != nil {
			e.Grant.Node = all
		}
	}
	for i := range r.Trace {
		c := &r.Trace[i]
		c.Args = append(c.Args, hostile[i%len(hostile)])
		c.Reply, c.Node = hostile[i%len(hostile)], hostile[i%3]
		if i%4 == 0 {
			c.Err = hostile[i%len(hostile)]
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
				p.Witness.Commands[j].Node, p.Witness.Commands[j].Effect = hostile[j%len(hostile)], all
			}
		}
	}
	v.Properties = append(v.Properties, checker.Property{Property: all, Reason: all})
	r.Plan, _ = json.Marshal(map[string]string{"impl": all})
	return r
}

func TestHostileTextStaysText(t *testing.T) {
	page := render(t, hostileRun(t))
	for _, bad := range []string{"<img", "<svg onload", "\x00", "\x1b", "\u202E", "\u2028", "\xff",
		"<!--<script>", "</style><script>window"} {
		if i := strings.Index(page, bad); i >= 0 {
			t.Errorf("the page contains %q: …%s…", bad, page[max(0, i-80):min(len(page), i+80)])
		}
	}
	if n := strings.Count(page, "<script"); n != 2 {
		t.Errorf("the page has %d scripts, want its own 2", n)
	}
	var b bytes.Buffer
	if err := Summary(&b, seen(t, hostileRun(t)), false); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(b.String(), "\x00\x1b\u202E\u2028") {
		t.Errorf("the terminal is sent control characters: %q", b.String())
	}
}

func TestHostileTextInABrowser(t *testing.T) {
	b := newBrowser(t)
	b.open(render(t, hostileRun(t)))
	b.press("0")
	b.press("n")
	if got := eval[string](b, `typeof window.pwned`); got != "undefined" {
		t.Error("text of the history was executed")
	}
	if n := eval[int](b,
		`document.querySelectorAll('img, [onerror], [onload], [onmouseover]').length`); n != 0 {
		t.Errorf("text of the history became %d elements", n)
	}
	b.clean()
}

func TestClean(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"SETNX lock:0", "SETNX lock:0"}, {"a\x00b", `a\x00b`}, {"a\nb\tc", `a\nb\tc`},
		{"\u202Eabc", `\u202eabc`}, {"\xff", `\xff`},
		{"é 锁", "é 锁"}, {"\uFFFD", "\uFFFD"}, {"\u2028", `\u2028`}, {"\x7f\u0085", `\x7f\u0085`},
	} {
		if got := page.Clean(c.in, 0); got != c.want {
			t.Errorf("clean(%q) = %q, want %q", c.in, got, c.want)
		}
	}
	if got := page.Clean("锁锁锁锁", 2); got != "锁锁…" {
		t.Errorf("shortened to %q", got)
	}
}
