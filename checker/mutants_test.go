package checker

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// judges are the files whose conditions decide verdicts.
var judges = []string{"owner.go", "orphan.go", "deadlock.go", "fencing.go", "update.go", "lease.go",
	"trust.go", "evidence.go"}

// Reasons for which a condition may stay although no verdict needs it.
const (
	onlyWords = "chooses words or the witness, not the verdict"
	noSuch    = "the validator or the collector lets no such history through"
	implied   = "follows from what is there already"
)

// idleConditions are the conditions that no test needs, with the reason. A key is the file and the
// condition.
var idleConditions = map[string]string{
	"owner.go: k.outcome != history.Fail":            "a refused call wrote nothing, so that none of its commands is a grant",
	"owner.go: s.end <= m.Sent":                      "saves time; what lies before is told by L",
	"owner.go: h.from <= m.Sent":                     onlyWords,
	"owner.go: m.N == 0":                             onlyWords,
	"deadlock.go: len(c.record.calls) == 0":          onlyWords,
	"deadlock.go: h.from >= h.end":                   noSuch,
	"deadlock.go: k.process == h.process":            noSuch,
	"deadlock.go: k.outcome != history.OK":           "an acquire that succeeded is a hold, which disturbs already",
	"deadlock.go: k.outcome == history.Fail":         "an acquire that succeeded is a hold, which disturbs already",
	"deadlock.go: h.ended == Open":                   "no refusal comes after the end of the record",
	"deadlock.go: h.ended == Released":               "errs on the safe side: a later release disturbs for longer",
	"fencing.go: e.Process < 0":                      noSuch,
	"fencing.go: !ok":                                noSuch,
	"fencing.go: !e.Type.Completes()":                noSuch,
	"update.go: s.outcome != history.OK":             onlyWords,
	"update.go: s.read == anything":                  onlyWords,
	"update.go: s.read == s.wrote":                   onlyWords,
	"lease.go: hs[i].call >= t":                      onlyWords,
	"lease.go: i == first":                           onlyWords,
	"lease.go: r.result == porcupine.Unknown":        "needs a time-out",
	"lease.go: bad < 0":                              "a placement that fits is a linearization, so that porcupine cannot deny it",
	"lease.go: a > forever-b":                        "needs a lease of centuries",
	"lease.go: len(all) == 0":                        implied,
	"lease.go: e.Type == history.OK":                 "only the completion of an acquire carries a grant where there are no extensions",
	"lease.go: e.F == history.Acquire":               "only the completion of an acquire carries a grant where there are no extensions",
	"trust.go: err == \"\"":                          onlyWords,
	"trust.go: e.Type != history.Gap":                "no other event has a gap",
	"trust.go: s.to-s.from > worst.to-worst.from":    onlyWords,
	"trust.go: s.process >= 0":                       onlyWords,
	"trust.go: e.Type != history.Fault":              "no other event has a phase",
	"trust.go: !ok":                                  "what does not begin with c is no number either",
	"deadlock.go: s.to-s.from > worst.to-worst.from": onlyWords,
	"deadlock.go: !c.stopped(s)":                     "what a fault made of it disturbs already",
	"deadlock.go: e.Type == history.Gap":             "no other event has a gap",
	"orphan.go: len(ms) > 1":                         onlyWords,
	"evidence.go: worst.to > worst.from":             "a stall of no length is one of 0 ms",
	"evidence.go: i == 0":                            "the zero turn is over before anything begins",
	"evidence.go: l[1] == (turn{})":                  "the zero turn is over before anything begins",
	"evidence.go: b != (turn{})":                     "the zero turn is over before anything begins",
	"evidence.go: h.node != \"\"":                    "a promotion names its node",
}

// tables are the tests that need no time. Only a mutant that survives them meets the random ones.
const (
	tables = "^Test(Exclusion|Doubt|Properties|GoldenVerdicts|ImportedSample|Partial.*|Stories|TimedOut)$"
	random = "^Test(Site|Environment.*|Lease.*|Updates.*|Fencing.*|Reentrant.*|Contended.*)$"
)

// mutation is a condition that can be taken away.
type mutation struct {
	id         int
	file, text string
	line       int
	from, to   int // offsets of the condition
	// it is one of several that must hold; taken away, it always does. Otherwise it never does.
	and bool
}

func (m mutation) String() string { return fmt.Sprintf("%s:%d: %s", m.file, m.line, m.text) }
func (m mutation) key() string    { return m.file + ": " + m.text }

// TestNoConditionIsIdle takes away the conditions of the judges one by one, and each time some test
// must fail. All are compiled into one test program, which takes the one away that the environment
// names. It needs the go command, and LOCKBENCH_SOAK or LOCKBENCH_MUTANTS.
func TestNoConditionIsIdle(t *testing.T) {
	if os.Getenv("LOCKBENCH_SOAK") == "" && os.Getenv("LOCKBENCH_MUTANTS") == "" {
		t.Skip("set LOCKBENCH_MUTANTS to run it")
	}
	program, mutations := mutants(t)
	var mu sync.Mutex
	var survivors []mutation
	work := make(chan mutation)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for m := range work {
				if survives(program, m, tables) && survives(program, m, random) {
					mu.Lock()
					survivors = append(survivors, m)
					mu.Unlock()
				}
			}
		})
	}
	for _, m := range mutations {
		work <- m
	}
	close(work)
	wg.Wait()
	slices.SortFunc(survivors, func(a, b mutation) int { return a.id - b.id })
	excused, known := 0, map[string]bool{}
	for _, m := range mutations {
		known[m.key()] = true
	}
	for key := range idleConditions {
		if !known[key] {
			t.Errorf("there is no condition %q any more", key)
		}
	}
	for _, m := range survivors {
		if idleConditions[m.key()] != "" {
			excused++
			continue
		}
		t.Errorf("no test needs %s", m)
	}
	t.Logf("%d conditions; %d that no test needs, for a reason", len(mutations), excused)
}

func survives(program string, m mutation, tests string) bool {
	c := exec.Command(program, "-test.short", "-test.failfast", "-test.run", tests, "-test.timeout",
		"60s")
	c.Env = append(os.Environ(), fmt.Sprintf("LOCKBENCH_MUTANT=%d", m.id), "LOCKBENCH_SOAK=",
		"LOCKBENCH_MUTANTS=")
	c.WaitDelay = time.Second
	return c.Run() == nil
}

// mutants compiles a test program that has all mutations in it.
func mutants(t *testing.T) (program string, all []mutation) {
	t.Helper()
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	replace := map[string]string{}
	put := func(name string, text []byte) {
		replace[filepath.Join(here, name)] = filepath.Join(dir, name)
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range judges {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found := conditions(t, name, source, len(all))
		all = append(all, found...)
		put(name, withSwitches(source, found))
	}
	put("mutant.go", []byte(`package checker

import "os"

var mutantName = os.Getenv("LOCKBENCH_MUTANT")

func mutant(name string) bool { return name == mutantName }
`))
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(dir, "mutants.test")
	if out, err := exec.Command(tool, "test", "-c", "-vet=off", "-overlay", list, "-o", program,
		".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program, all
}

// conditions finds what can be taken away: each part of a conjunction or disjunction, and each
// condition of an if or a case that has no parts. Conditions of loops are left alone, so that
// everything ends.
func conditions(t *testing.T, name string, source []byte, before int) (out []mutation) {
	t.Helper()
	set := gotoken.NewFileSet()
	file, err := parser.ParseFile(set, name, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	var leaves func(e ast.Expr, and bool)
	leaves = func(e ast.Expr, and bool) {
		switch x := e.(type) {
		case *ast.ParenExpr:
			leaves(x.X, and)
		case *ast.BinaryExpr:
			if x.Op == gotoken.LAND || x.Op == gotoken.LOR {
				leaves(x.X, x.Op == gotoken.LAND)
				leaves(x.Y, x.Op == gotoken.LAND)
				return
			}
			out = append(out, leaf(set, name, source, e, and))
		default:
			out = append(out, leaf(set, name, source, e, and))
		}
	}
	loops := map[ast.Expr]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.ForStmt:
			loops[x.Cond] = true
		case *ast.IfStmt:
			leaves(x.Cond, false)
			loops[x.Cond] = true
		case *ast.SwitchStmt:
			if x.Tag != nil {
				return true
			}
			for _, s := range x.Body.List {
				for _, e := range s.(*ast.CaseClause).List {
					leaves(e, false)
					loops[e] = true
				}
			}
		case *ast.BinaryExpr:
			if loops[x] {
				loops[x.X], loops[x.Y] = true, true // done already, or a loop's
			} else if x.Op == gotoken.LAND || x.Op == gotoken.LOR {
				leaves(x, false)
				loops[x.X], loops[x.Y] = true, true
			}
		case *ast.ParenExpr:
			loops[x.X] = loops[x]
		}
		return true
	})
	for i := range out {
		out[i].id = before + i + 1
	}
	return out
}

func leaf(set *gotoken.FileSet, name string, source []byte, e ast.Expr, and bool) mutation {
	from, to := set.Position(e.Pos()), set.Position(e.End())
	text, _, _ := strings.Cut(string(source[from.Offset:to.Offset]), "\n")
	return mutation{file: name, text: text, line: from.Line, from: from.Offset, to: to.Offset,
		and: and}
}

// withSwitches puts a switch around each condition.
func withSwitches(source []byte, found []mutation) []byte {
	type insertion struct {
		at   int
		text string
	}
	var in []insertion
	for _, m := range found {
		begin := fmt.Sprintf("(!mutant(\"%d\") && (", m.id)
		if m.and {
			begin = fmt.Sprintf("(mutant(\"%d\") || (", m.id)
		}
		in = append(in, insertion{m.from, begin}, insertion{m.to, "))"})
	}
	slices.SortStableFunc(in, func(a, b insertion) int { return a.at - b.at })
	var out []byte
	at := 0
	for _, i := range in {
		out = append(append(out, source[at:i.at]...), i.text...)
		at = i.at
	}
	return append(out, source[at:]...)
}
