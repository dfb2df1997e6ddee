package detection

import (
	"bytes"
	"cmp"
	"fmt"
	"github.com/lockbench/lockbench/lab/records"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/lab/mutate"
)

const root = "../../.."

// recorded is lab/results/detection.json.gz.
func recorded(t *testing.T) *Record {
	t.Helper()
	f, err := records.Open(os.DirFS(filepath.Join(root, "lab", "results")), File)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWhatIsNotFoundHasAReason: and each reason is of mutants that there are, and that no letter
// tells of.
func TestWhatIsNotFoundHasAReason(t *testing.T) {
	t.Parallel()
	r := recorded(t)
	by := map[string]Result{}
	for _, m := range r.Mutants {
		by[m.Key()] = m
		if !m.Noticed() && ReasonOf(m) == nil {
			t.Errorf("not found, and no reason: %s:%d %s", m.File, m.Line, m.Key())
		}
	}
	seen := map[string]bool{}
	for _, reason := range Reasons() {
		for _, key := range reason.Mutants {
			m, ok := by[key]
			switch {
			case !ok:
				t.Errorf("there is no mutant %q any more", key)
			case m.Noticed():
				t.Errorf("it is found: %s", key)
			case seen[key]:
				t.Errorf("two reasons: %s", key)
			}
			seen[key] = true
		}
		if strings.TrimSpace(reason.Reason) == "" || len(reason.Mutants) == 0 ||
			!slices.Contains(Classes(), reason.Class) {
			t.Errorf("an empty reason, or an unknown class: %+v", reason)
		}
	}
}

// TestWhatIsKnownIsNoFinding: no finding of the record is what its lock shows as it is.
func TestWhatIsKnownIsNoFinding(t *testing.T) {
	t.Parallel()
	r := recorded(t)
	for _, m := range r.Mutants {
		for _, f := range slices.Concat(m.Aimed, m.Drawn) {
			if fresh := r.Known[m.Lock].newLetters(f.Row, f.Fault, f.Letters); len(fresh) < len(f.Letters) {
				t.Errorf("%s: %s under %s: %s, of which the lock as it is shows all but %s",
					m.Key(), f.Row, f.Fault, f.Letters, fresh)
			}
		}
	}
}

// sample is how many mutants are asked without LOCKBENCH_SOAK.
const sample = 4

// drawnSample are the keys of mutants that were found, chosen by a text that changes.
func drawnSample(r *Record, by string) (keys []string) {
	order := map[string]uint32{}
	for _, m := range r.Mutants {
		soak := os.Getenv("LOCKBENCH_SOAK") != ""
		if m.Found() && (soak || len(m.Aimed) > 0) {
			h := fnv.New32a()
			h.Write([]byte(by + m.Key()))
			keys, order[m.Key()] = append(keys, m.Key()), h.Sum32()
		}
	}
	slices.SortFunc(keys, func(a, b string) int { return int(int64(order[a]) - int64(order[b])) })
	if os.Getenv("LOCKBENCH_SOAK") != "" {
		return keys
	}
	return keys[:min(len(keys), sample)]
}

// TestTheSampleChanges with the commit.
func TestTheSampleChanges(t *testing.T) {
	t.Parallel()
	r := recorded(t)
	if a, b := drawnSample(r, "a"), drawnSample(r, "b"); slices.Equal(a, b) || len(a) < sample &&
		os.Getenv("LOCKBENCH_SOAK") == "" {
		t.Errorf("%q %q", a, b)
	}
}

// TestKnownLettersAreNoFinding: nor is what happens without any fault.
func TestKnownLettersAreNoFinding(t *testing.T) {
	t.Parallel()
	k := Known{}
	k.add("lock", "pause", "S", "O")
	k.add("lock", noFault, "R")
	got := k.newLetters("lock", "pause", []string{"S", "L", "R"})
	if !slices.Equal(got, []string{"L"}) {
		t.Error(got)
	}
	if got := k.newLetters("lock row", "pause", []string{"S", "R"}); len(got) != 2 {
		t.Error(got)
	}
}

// TestHardlyGranted: a run that ended at a violation had no time for more grants.
func TestHardlyGranted(t *testing.T) {
	t.Parallel()
	v, wanted := &checker.Verdict{}, history.Requires{Contended: 5}
	if v.Evidence.Contended = 4; !hardlyGranted(v, nil, wanted) {
		t.Error("4 of 5 are enough")
	}
	if hardlyGranted(v, []string{"S"}, wanted) {
		t.Error("a violation ended the run")
	}
	if v.Evidence.Contended = 5; hardlyGranted(v, nil, wanted) {
		t.Error("5 of 5 are too few")
	}
}

// TestWhatAProcessSays is read as findings and ends.
func TestWhatAProcessSays(t *testing.T) {
	t.Parallel()
	var r Result
	last, err := r.read(bytes.NewBufferString(`{"row":"a","fault":"none"}
{"row":"a","fault":"none","letters":["S"]}
{"row":"a","fault":"none","letters":["S","O"]}
{"row":"a","fault":"pause","runs":3,"drawn":true,"letters":["L"],"ms":7}
{"row":"a","fault":"crash","runs":7,"drawn":true}
`))
	if err != nil || len(r.Aimed) != 1 || len(r.Aimed[0].Letters) != 2 || len(r.Drawn) != 1 ||
		r.Runs != 7 || r.DrawnMillis != 7 {
		t.Errorf("%+v %v", r, err)
	}
	r.end(exec.Command("sh", "-c", "exit 2").Run(), "panic: oh\ngoroutine 1", last)
	if r.End != Panics || r.Words != "under crash, drawn: panic: oh" || !r.Noticed() {
		t.Errorf("%+v", r)
	}
	if _, err := r.read(bytes.NewBufferString("hello")); err == nil {
		t.Error("no JSON")
	}
}

// TestWhatTheLockShowsIsNoFinding: it is known after a mutant showed it, also if few runs have been
// asked before, and what the lock does not show stays a finding.
func TestWhatTheLockShowsIsNoFinding(t *testing.T) {
	t.Parallel()
	r := &Record{Known: map[string]Known{"getset": {}}}
	x := &Result{Mutant: mutate.Mutant{Lock: "getset"}, Drawn: []Finding{
		{"getset", "pause", []string{"S"}}, {"getset", noFault, []string{"S"}}}}
	few := map[string]int{fmt.Sprint("getset", "pause", "S"): 6}
	if err := (Campaign{Drawn: 6, AsItIs: 40}).learn(t.Context(), r, x, few); err != nil {
		t.Fatal(err)
	}
	if left := r.Known["getset"].confirm(x.Drawn); len(left) != 1 || left[0].Fault != noFault {
		t.Errorf("%v are findings", left)
	}
}

// TestWishesAreWhatUsersAsk: each fault, the loads of the columns for libraries, the workloads that
// a row does not have, and random faults for each form of the lock.
func TestWishesAreWhatUsersAsk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lock, row, fault string }{
		{"redisson-spin", "redisson-spin", workloadPrefix + "reentrant"},
		{"redisson-spin", "redisson-spin", "pause"},
		{"redisson-spin", "redisson-spin", "mixed"},
		{"redisson-spin", "redisson-spin fixed lease", randomFaults},
		{"redisson-fenced", "redisson-fenced watchdog", randomFaults},
		{"redisson-multi", "redisson-multi fixed lease", "crash"},
		{"redisson", "redisson fixed lease", "crash, " + workloadPrefix + "reentrant"},
		{"token-lua", "token-lua process", "pause"},
		{"token-lua", "token-lua constant", "idle"},
		{"token-lua", "token-lua process", randomFaults},
	} {
		all, err := wishes(c.lock)
		if err != nil || !slices.ContainsFunc(all, func(w wish) bool {
			return w.row == c.row && w.fault == c.fault
		}) {
			t.Errorf("%v is not searched: %v", c, err)
		}
	}
}

// TestWishesAreNoTwins: no row and fault is searched twice, and each form of a lock is another one.
func TestWishesAreNoTwins(t *testing.T) {
	t.Parallel()
	for _, lock := range []string{"setnx", "setnx-del-expired", "token-lua", "redisson"} {
		all, err := wishes(lock)
		seen, forms := map[string]bool{}, map[string]bool{}
		for _, w := range all {
			form := fmt.Sprint(cmp.Or(w.options.Variant, "first"), w.options.NoWatchdog)
			if key := knownKey(w.row, w.fault); seen[key] || w.fault == randomFaults && forms[form] {
				t.Errorf("%s is searched twice", key)
			}
			seen[knownKey(w.row, w.fault)] = true
			forms[form] = forms[form] || w.fault == randomFaults
		}
		if err != nil || len(forms) == 0 {
			t.Errorf("%s: %d forms, %v", lock, len(forms), err)
		}
	}
}

// TestALoadIsAColumns: the search has the load of the column.
func TestALoadIsAColumns(t *testing.T) {
	t.Parallel()
	all, err := wishes("token-lua")
	for _, w := range all {
		if think := w.options.Think > 0; think != (w.fault == "idle") {
			t.Errorf("%s: think %v", w.fault, w.options.Think)
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// TestRandomFaultsMayBeAny: what a lock shows under one of them is no finding.
func TestRandomFaultsMayBeAny(t *testing.T) {
	t.Parallel()
	k := Known{}
	k.add("lock", "pause", "S")
	if got := k.newLetters("lock form", randomFaults, []string{"S", "V"}); !slices.Equal(got,
		[]string{"V"}) {
		t.Error(got)
	}
}
