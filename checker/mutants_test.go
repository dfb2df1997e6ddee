package checker

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"hash/fnv"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// judges are the files whose conditions decide verdicts.
var judges = []string{"rules/owner.go", "rules/owner_renewed.go", "rules/orphan.go",
	"rules/orphan_votes.go", "rules/deadlock.go", "rules/wanted.go", "rules/underway.go",
	"rules/outage.go", "rules/progress/wants.go", "rules/leftover/leftover.go",
	"rules/fencing.go", "rules/delivery.go", "rules/notice.go", "rules/reentry.go",
	"rules/reentered.go", "rules/evidence.go", "rules/absent.go", "rules/behind.go",
	"rules/lost.go", "rules/orphan_late.go", "rules/owner_ordered.go", "rules/token.go",
	"rules/aims.go", "rules/dead_waiters.go", "rules/tokens.go", "trace/ledger.go",
	"trace/several.go", "linear/section.go", "linear/leases.go"}

// rooms are the packages in which they are.
var rooms = []string{"rules/", "rules/progress/", "rules/leftover/", "linear/", "trace/"}

// Reasons for which a condition may stay although no verdict needs it.
const (
	onlyWords = "chooses words or the witness, not the verdict"
	noSuch    = "the validator or the collector lets no such history through"
	implied   = "follows from what is there already"
)

// idleConditions are the conditions that no test needs, with the reason. A key is the file and the
// condition.
var idleConditions = map[string]string{
	"rules/owner.go: s.End <= m.Sent":                 "saves time; what lies before is told by L",
	"rules/owner.go: h.From <= m.Sent":                onlyWords,
	"rules/owner.go: m.N == 0":                        onlyWords,
	"rules/deadlock.go: len(c.Record.Calls) == 0":     onlyWords,
	"rules/deadlock.go: struck != nil":                onlyWords,
	"rules/deadlock.go: h.From <= h.End":              noSuch,
	"rules/deadlock.go: len(left) == 0":               "saves time",
	"rules/notice.go: e.T > max(h.End, h.From)":       onlyWords,
	"trace/several.go: !several":                      "saves time",
	"rules/dead_waiters.go: !waits":                   "saves time",
	"rules/wanted.go: c.longest != nil":               "saves time",
	"rules/wanted.go: c.pauses != nil":                "saves time",
	"rules/underway.go: c.common != nil":              "saves time",
	"rules/deadlock.go: !ok":                          "saves time",
	"rules/reentry.go: !reentrant":                    onlyWords,
	"rules/progress/wants.go: x.From < x.To":          "what it lets through has no length",
	"rules/outage.go: end-begin <= longest":           "saves time",
	"rules/fencing.go: a.traced":                      onlyWords,
	"rules/outage.go: k.To > t":                       onlyWords,
	"rules/reentered.go: k.Process == h.Process":      "no other client is inside meanwhile",
	"rules/reentered.go: !ok":                         implied,
	"rules/reentered.go: len(again) == 0":             "saves time",
	"rules/reentered.go: h.Granting <= t.To":          onlyWords,
	"rules/reentered.go: before.Process != h.Process": onlyWords,
	"rules/reentered.go: c.trace.MayBeOf(m, h.Key)":   onlyWords,
	"rules/reentered.go: kind(m)":                     onlyWords,
	"linear/leases.go: hs[i].Call >= t":               onlyWords,
	"linear/leases.go: i == first":                    onlyWords,
	"linear/leases.go: a > record.Forever-b":          "needs a lease of centuries",
	"linear/leases.go: tok.needless()":                "a hold of unknown outcome fits at the end",
	"linear/leases.go: len(all) == 0":                 implied,
	"linear/leases.go: e.Type == history.OK": "only the completion of an acquire carries a grant " +
		"where there are no extensions",
	"linear/leases.go: e.F == history.Acquire": "only the completion of an acquire carries a grant " +
		"where there are no extensions",
	"rules/aims.go: h.Node != \"\"": "a promotion names its node",
	"rules/underway.go: e.Type == history.Kill": "a hold or a call of the client ends then, which " +
		"disturbs already",
	"rules/underway.go: e.Type == history.Exit": "a hold or a call of the client ends then, which " +
		"disturbs already",
	"linear/section.go: e.Process < 0":       noSuch,
	"linear/section.go: !ok":                 noSuch,
	"linear/section.go: !e.Type.Completes()": noSuch,
}

// tables are the tests that need no time. Only a mutant that survives them meets the random ones.
const (
	tables = "^Test(Exclusion|Doubt|" +
		"Properties|GoldenVerdicts|ImportedSample|Partial.*|Stories|StoriesOfRealRuns|TimedOut|" +
		"OneToken|VictimOfADeletion|Orders|KeysOfScripts|" +
		"StoryOfProgress|Innocent|AllServersThatAreGoneAreNamed|Words|NoticeIsForTheLoser|Expectations|" +
		"Optimistic|ATransactionIsJudgedByItsWrites|AStrikeOfAnOptimisticLock|SharedHolds|" +
		"WhatHasNoModelOfSharedHolds|" +
		"AStrikeBetweenReadersHitsNothing|AnExtensionThatTheServerRefutes|NothingTried|" +
		"Orphans.*|ALostReplyLeavesAnOrphanUndecided|ADeletionOfSomeOfItsKeys|" +
		"ReportedDecidesNothing|CausesOfKeys|" +
		"VotesByNode|ClientsThatAskNoServer|ASessionThatIsAConnection|Starvation|ExpectedStarvation|" +
		"Untested|AServerThatWasReplaced|AFailoverIsTestedOnlyWhileItsHolderIsInside|" +
		"WhatAFencedResourceRefuses|AStoryNamesScripts|AStorySaysThingsOnce|" +
		"TheCauseNamesTheRenewal|WordsBesideTheKey|AClockThatStood|" +
		"TheCauseOfALeftoverThatLetsItsOwnerIn|AReleaseThatUndidOneEntry|AnOutageWithoutServers|" +
		"WhoEmptiedTheServer|AWrongClockAsksForAShortLease|WhoHadTheLock|TheCauseOfALostCounter)$"
	random = "^Test(Site|Mutex.*|Environment.*|Lease.*|Updates.*|Fencing.*|Reentrant.*|Contended.*|" +
		"FastRegister.*|RegisterBeyond.*|SeveralLocks.*|PlantedViolation.*)$"
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
// must fail. All are compiled into the test programs, which take the one away that the environment
// names. It needs the go command, and LOCKBENCH_SOAK or LOCKBENCH_MUTANTS, which may name files:
// the conditions of others are left in peace then. "commit" takes a sample, others with each
// commit, as CI does, and "commit:HASH" that of another commit.
func TestNoConditionIsIdle(t *testing.T) {
	which := os.Getenv("LOCKBENCH_MUTANTS")
	if os.Getenv("LOCKBENCH_SOAK") == "" && which == "" {
		t.Skip("set LOCKBENCH_MUTANTS to run it")
	}
	programs, mutations := mutants(t)
	var mu sync.Mutex
	var survivors []mutation
	work := make(chan mutation)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for m := range work {
				if survives(programs, m, tables) && survives(programs, m, random) {
					mu.Lock()
					survivors = append(survivors, m)
					mu.Unlock()
				}
			}
		})
	}
	taken := chosen(mutations, which)
	if commit, sample := strings.CutPrefix(which, "commit"); sample {
		commit = cmp.Or(strings.TrimPrefix(commit, ":"), strings.TrimSpace(testenv.Commit()))
		taken = sampleOf(mutations, commit)
		t.Logf("LOCKBENCH_MUTANTS=commit:%s takes the same %d again:", commit, len(taken))
		for _, m := range taken {
			t.Log(m)
		}
	}
	for _, m := range taken {
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
	t.Logf("%d of %d conditions; %d that no test needs, for a reason", len(taken), len(mutations),
		excused)
}

// chosen are the mutations of the files that are named, or all.
func chosen(all []mutation, files string) (taken []mutation) {
	for _, m := range all {
		if !strings.Contains(files, ".go") || strings.Contains(files, m.file) {
			taken = append(taken, m)
		}
	}
	return taken
}

// sampleSize is how many conditions CI takes away. Each costs a run of the tests.
const sampleSize = 24

// sampleOf are as many mutations, by the hash of a commit. What no test needs for a reason shows
// nothing, and takes the longest.
func sampleOf(all []mutation, commit string) []mutation {
	needed := slices.DeleteFunc(slices.Clone(all), func(m mutation) bool {
		return idleConditions[m.key()] != ""
	})
	order := func(m mutation) uint64 {
		h := fnv.New64a()
		fmt.Fprint(h, commit, m)
		return h.Sum64()
	}
	slices.SortFunc(needed, func(a, b mutation) int { return cmp.Compare(order(a), order(b)) })
	return needed[:min(sampleSize, len(needed))]
}

// replacements are the rules by which the collector gives no client more time inside than is
// certain, and the conditions of the fast check: each is taken away by writing something else in
// its place.
var replacements = []struct{ name, file, rule, instead, tests string }{
	{"a hold ends at the invocation of the release", "record/collector.go",
		"h.Answer, h.Returned = e.Type, e.T", "h.Answer, h.Returned, h.End = e.Type, e.T, e.T", tables},
	{"a hold ends at the kill", "record/collector.go", "c.leave(p, e.T, Killed)", "", tables},
	{"a hold ends at the last sign of life", "record/collector.go", "c.leave(p, p.Last, Vanished)",
		"c.leave(p, e.T, Vanished)", tables},
	{"who acquires anew has left", "record/collector.go", "!c.declares.Reentrant", "false", tables},
	{"an unknown acquire never holds", "record/collector.go", "if e.Type != history.OK {",
		"if e.Type == history.Fail {", tables},
	{"a nested hold is part of the outermost", "record/collector.go",
		"outer := c.outer(p, key); outer >= 0 {\n\t\t\tp.nested",
		"outer := c.outer(p, key); false {\n\t\t\tp.nested",
		tables},
	{"a late extension leaves a gap", "record/collector_lease.go", "if sent <= last.To {", "if true {",
		tables},
	{"drift shortens a lease", "record/collector_lease.go", "(1-c.drift)", "1", tables},
	{"a loss ends a hold", "record/collector.go", "h.Lost = min(h.Lost, e.T)", "", tables},
	{"a promise ends", "record/collector_lease.go", "h.Valid = g.ValidUntil", "", tables},
	{"a lease begins at the sending", "record/collector_lease.go", "h.Granting = h.Sent",
		"h.Sent = e.T; h.Granting = h.Sent", tables},
	{"no release twice", "linear/mutex.go", "t.releases > 1:", "false:", fast},
	{"no release without an acquire", "linear/mutex.go",
		"t.released && (t.acquire < 0 || ops[t.release].Ret < ops[t.acquire].Call):", "false:", fast},
	{"no refusal while it holds", "linear/mutex.go", "ts[o.Token].refuses(o)", "false", fast},
	{"spans are disjoint", "linear/mutex.go", "if cores[i].from < cores[i-1].end {", "if false {",
		fast},
	{"a point is outside of all spans", "linear/mutex.go", "k >= 0 && hi < cores[k].end",
		"k >= 0 && hi < 0",
		fast},
}

// fast are the tests of the fast check.
const fast = "^TestMutex.*$"

// TestEveryRuleMatters breaks the rules one by one, and each time some test must fail. It needs
// what TestNoConditionIsIdle needs.
func TestEveryRuleMatters(t *testing.T) {
	if os.Getenv("LOCKBENCH_SOAK") == "" && os.Getenv("LOCKBENCH_MUTANTS") == "" {
		t.Skip("set LOCKBENCH_MUTANTS to run it")
	}
	for _, r := range replacements {
		t.Run(r.name, func(t *testing.T) {
			source, err := os.ReadFile(r.file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(source), r.rule) {
				t.Fatalf("%s has no %q", r.file, r.rule)
			}
			o := newOverlay(t)
			o.put(r.file, []byte(strings.Replace(string(source), r.rule, r.instead, 1)))
			if survives(o.compile(), mutation{}, r.tests) {
				t.Error("no test needs it")
			}
		})
	}
}

// survives reports whether the tests pass, in all programs that have some, although m is in force.
func survives(programs []string, m mutation, tests string) bool {
	return !slices.ContainsFunc(programs, func(p string) bool { return !passes(p, m, tests) })
}

func passes(program string, m mutation, tests string) bool {
	c := exec.Command(program, "-test.short", "-test.failfast", "-test.run", tests, "-test.timeout",
		"60s")
	c.Env = append(os.Environ(), fmt.Sprintf("LOCKBENCH_MUTANT=%d", m.id), "LOCKBENCH_SOAK=",
		"LOCKBENCH_MUTANTS=")
	c.WaitDelay = time.Second
	return c.Run() == nil
}

// overlay is a changed copy of some files of this package and the rooms behind it.
type overlay struct {
	t         *testing.T
	here, dir string
	replace   map[string]string
}

func newOverlay(t *testing.T) *overlay {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return &overlay{t, here, t.TempDir(), map[string]string{}}
}

// put changes a file, or adds one.
func (o *overlay) put(name string, text []byte) {
	o.t.Helper()
	copied := filepath.Join(o.dir, strings.ReplaceAll(name, "/", "-"))
	o.replace[filepath.Join(o.here, name)] = copied
	if err := os.WriteFile(copied, text, 0o600); err != nil {
		o.t.Fatal(err)
	}
}

// compile makes the test programs of this package and of the rooms that have tests of rules, with
// the changed files.
func (o *overlay) compile() (programs []string) {
	o.t.Helper()
	tool, err := exec.LookPath("go")
	if err != nil {
		o.t.Skip("there is no go command")
	}
	text, err := json.Marshal(map[string]any{"Replace": o.replace})
	if err != nil {
		o.t.Fatal(err)
	}
	list := filepath.Join(o.dir, "overlay.json")
	if err := os.WriteFile(list, text, 0o600); err != nil {
		o.t.Fatal(err)
	}
	for _, room := range []string{".", "./rules", "./linear", "./trace"} {
		program := filepath.Join(o.dir, filepath.Base(room)+"-mutants.test")
		c := exec.Command(tool, "test", "-c", "-vet=off", "-overlay", list, "-o", program, room)
		if out, err := c.CombinedOutput(); err != nil {
			o.t.Fatalf("%v\n%s", err, out)
		}
		programs = append(programs, program)
	}
	return programs
}

// mutants compiles test programs that have all mutations in it.
func mutants(t *testing.T) (programs []string, all []mutation) {
	t.Helper()
	o := newOverlay(t)
	for _, name := range judges {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found := conditions(t, name, source, len(all))
		all = append(all, found...)
		o.put(name, withSwitches(source, found))
	}
	for _, room := range rooms {
		o.put(room+"mutant.go", fmt.Appendf(nil, switches, path.Base("checker/"+room)))
	}
	return o.compile(), all
}

// switches is a file that takes away the condition that the environment names.
const switches = `package %s

import "os"

var mutantName = os.Getenv("LOCKBENCH_MUTANT")

func mutant(name string) bool { return name == mutantName }
`

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
