package study

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// TestEveryClaimCanBeTested looks whether the commands and tests that a claim names exist. A
// command that cannot be pasted proves nothing.
func TestEveryClaimCanBeTested(t *testing.T) {
	for _, c := range claims() {
		for _, trial := range c.Trials {
			plan(t, trial.Command)
		}
		if c.Text == "" || c.Document == "" {
			t.Errorf("%q of %q", c.Text, c.Document)
		}
		switch command := c.Command(); {
		case c.Result == NotTested:
			if c.Needs == "" || command != "" {
				t.Errorf("%q is not tested, and what it needs is not said", c.Text)
			}
		case strings.HasPrefix(command, "go test "):
			goTest(t, command)
		case strings.HasPrefix(command, "cd lab && go run "):
			goRun(t, command)
		case strings.HasPrefix(command, "lockbench run "):
			plan(t, command)
		case command == "lab mitigations":
		case strings.HasPrefix(command, "lockbench matrix"):
			matrixCommand(t, command)
		default:
			t.Errorf("%q is tested by %q", c.Text, command)
		}
	}
}

// goTest looks for the test that a command runs.
func goTest(t *testing.T, command string) {
	w := strings.Fields(command)
	if len(w) != 5 || w[3] != "-run" {
		t.Errorf("%q is no command like go test ./impls -run Test", command)
		return
	}
	files, _ := filepath.Glob(filepath.Join("../..", w[2], "*_test.go"))
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "func "+w[4]+"(") {
			return
		}
	}
	t.Errorf("%q: there is no such test", command)
}

// goRun looks for the program that a command runs, and for its flag.
func goRun(t *testing.T, command string) {
	w := strings.Fields(command)
	if len(w) != 7 {
		t.Errorf("%q is no command like cd lab && go run ./ranking/measure -woken", command)
		return
	}
	text, err := os.ReadFile(filepath.Join("..", w[5], "main.go"))
	if flag := strings.TrimPrefix(w[6], "-"); err != nil ||
		!strings.Contains(string(text), `("`+flag+`", `) {
		t.Errorf("%q: there is no such program (%v), or it has no flag %s", command, err, flag)
	}
}

// flags are the flags of a command as a shell reads them.
func flags(command string) map[string]string {
	out := map[string]string{}
	for _, m := range regexp.MustCompile(`--([a-z-]+) ('[^']*'|\S+)`).FindAllStringSubmatch(command,
		-1) {
		out[m[1]] = strings.Trim(m[2], "'")
	}
	return out
}

func plan(t *testing.T, command string) {
	f := flags(command)
	_, err := harness.NewPlan(harness.RunOptions{Impl: f["impl"], Adapter: f["adapter"],
		Variant: f["variant"], Nemesis: strings.Replace(cmp.Or(f["nemesis"], "none"), "./docs/",
			"../../docs/", 1), Workload: f["workload"]})
	if err != nil {
		t.Errorf("%q: %v", command, err)
	}
}

func matrixCommand(t *testing.T, command string) {
	f := flags(command)
	o := matrix.Options{Rows: strings.Split(f["impl"], ","), Columns: strings.Split(f["nemesis"], ",")}
	ts, err := o.Tasks()
	if err != nil || len(ts) == 0 {
		t.Errorf("%q: %d runs, %v", command, len(ts), err)
	}
}

// TestManyRunsJudgeClaims: what must never happen, and did in one run of twenty, happened.
func TestManyRunsJudgeClaims(t *testing.T) {
	c := Claim{Row: "getset-redispy", Columns: []string{"none"}, Keeps: "R"}
	cell := matrix.Cell{Row: c.Row, Column: "none", Properties: []matrix.Property{{Name: "R",
		Found: checker.Valid}}}
	b := &Book{Matrix: &matrix.Matrix{Cells: []matrix.Cell{cell}}}
	if got := b.outcome(c); got != Confirmed {
		t.Errorf("one run: %s", got)
	}
	b.Soaks = []*Soak{{Environment: "sim", Found: []HitRate{{Row: c.Row, Column: "none",
		Property: "R", Hits: 2, Of: 20}}}}
	if got, seen := b.outcome(c), b.rates(c); got != Refuted || !strings.Contains(seen[0], "R:2/20") {
		t.Errorf("many runs: %s, %q", got, seen)
	}
	c.Condition = "a condition"
	if got, _ := Judge(b.Matrix, c); got != Depends {
		t.Errorf("under a condition: %s", got)
	}
}

func TestCostsJudgeClaims(t *testing.T) {
	ms := func(n int) history.Duration { return history.Duration(time.Duration(n) * time.Millisecond) }
	c := Claim{Slower: "setnx", Than: "token-lua", Cost: "acquire"}
	m := &matrix.Matrix{Costs: []matrix.RowCost{
		{Row: "setnx", Cost: batch.Cost{AcquireP50: ms(3), Commands: 2}},
		{Row: "token-lua", Cost: batch.Cost{AcquireP50: ms(2), Commands: 4}}}}
	if got, _ := Judge(m, c); got != Confirmed || !strings.Contains(costsOf(m, c), "3.00 ms") {
		t.Errorf("%s: %s", got, costsOf(m, c))
	}
	c.Cost = "commands"
	if got, _ := Judge(m, c); got != Refuted || !strings.Contains(costsOf(m, c), "2.0") {
		t.Errorf("%s: %s", got, costsOf(m, c))
	}
	if got, _ := Judge((&matrix.Matrix{}), c); got != NotTested {
		t.Errorf("nothing was measured, and it is %s", got)
	}
}
