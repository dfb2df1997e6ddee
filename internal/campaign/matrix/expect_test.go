package matrix

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/batch/batchtest"
	"github.com/lockbench/lockbench/nemesis"
)

// TestExpectationsAreOfCells: each is of a row and of columns that there are, where the fault is
// possible, with a reason and with letters that can be true together.
func TestExpectationsAreOfCells(t *testing.T) {
	for row, e := range expectations() {
		i := slices.IndexFunc(Rows(), func(r Row) bool { return r.Name == row })
		if i < 0 || e.Reason == "" || e.From == "" {
			t.Errorf("%s: there is no such row, or no reason for what is expected", row)
			continue
		}
		for column, letters := range e.Properties {
			j := slices.IndexFunc(AllColumns(), func(c Column) bool { return c.Name == column })
			if j < 0 || Impossible(Rows()[i], AllColumns()[j]) != "" {
				t.Errorf("%s, %s: %s are expected where nothing can be", row, column, letters)
			}
			found, known := Expected(row, column)
			if !known || strings.Join(found, "") != letters && len(found) != len(letters) {
				t.Errorf("%s, %s: %s became %v", row, column, letters, found)
			}
			if slices.Contains(found, "L") && !slices.Contains(found, "S") {
				t.Errorf("%s, %s: L implies S", row, column)
			}
		}
	}
}

// TestTheDocumentShowsTheExpectations compares docs/locks/expected.md with the data.
func TestTheDocumentShowsTheExpectations(t *testing.T) {
	page, err := os.ReadFile("../../../docs/locks/expected.md")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(string(page)), " ")
	for row := range expectations() {
		if why := "- **" + row + "**: " + Why(row); !strings.Contains(words, why) {
			t.Errorf("docs/locks/expected.md does not say\n%s", why)
		}
		want := "| " + row
		if expectations()[row].From == "reasoned before measuring" {
			want += " *"
		}
		for _, c := range Columns() {
			letters, known := Expected(row, c.Name)
			cell := expectations()[row].Properties[c.Name]
			switch {
			case !known:
				cell = ""
			case len(letters) == 0:
				cell = "-"
			}
			want += " | " + cell
		}
		if !bytes.Contains(page, []byte("\n"+want+" |\n")) {
			t.Errorf("docs/locks/expected.md has no line\n%s |", want)
		}
	}
}

func TestALockWithoutAnExpectationIsMeasured(t *testing.T) {
	r := NewRow(impls.Entry{Name: "new", Topology: impls.OneServer, Lease: true}, impls.Row{})
	runs := (Options{}).cell(r, AllColumns()[1], 1)
	cell := NewCell(r, AllColumns()[1], []Result{{Row: "new", Column: AllColumns()[1].Name,
		Finding: batch.NewFinding(
			batchtest.Verdict(checker.Valid, "S"), nil)}}, nil)
	if len(runs) == 0 || cell.Known || cell.String() != "S" ||
		len(cell.More())+len(cell.Missing()) > 0 {
		t.Errorf("%d runs; the cell is %s, more %v", len(runs), &cell, cell.More())
	}
}

func TestEveryLockAndEveryFaultIsInTheMatrix(t *testing.T) {
	for _, e := range impls.All() {
		if !slices.ContainsFunc(Rows(), func(r Row) bool { return r.Impl == e.Name }) {
			t.Errorf("lock %s is in no row", e.Name)
		}
	}
	aimed := map[string]bool{}
	for _, c := range Columns() {
		for _, a := range c.Aims {
			name, _, _ := strings.Cut(a.Nemesis, ":")
			aimed[name] = true
		}
	}
	for _, e := range nemesis.All() {
		// latency, disconnect and message show nothing that late, request-loss and reply-loss do not;
		// only adapters declare that a call can be given up; the sentinels and a cluster are slow and
		// have commands of their own; other systems have no matrix; a lost disk, deleted keys, lost
		// scripts and full memory say more about the servers than about a lock, so a run has to ask for
		// them; only the simulator has a suspended machine, and the matrix is measured on real servers.
		if !aimed[e.Name] && !slices.Contains([]string{"latency", "disconnect", "message", "cancel",
			"failover-sentinel", "failover-cluster", "leader-loss", "member-loss", "random",
			"disk-loss", "flush", "scripts-lost", "memory-full", "suspend"}, e.Name) {
			t.Errorf("fault %s is in no column", e.Name)
		}
	}
}

// TestEveryCellHasAnAim wants a run for every cell that is possible, and one that is no control.
func TestEveryCellHasAnAim(t *testing.T) {
	for _, r := range Rows() {
		for _, c := range Columns() {
			ts := (Options{}).cell(r, c, 1)
			hit := slices.ContainsFunc(ts, func(t Task) bool { return !t.Aim.Control })
			if possible := Impossible(r, c) == ""; possible != hit {
				t.Errorf("%s, %s: possible %v, aimed at %v", r.Name, c.Name, possible, hit)
			}
		}
	}
}

func TestEveryTaskHasAPlan(t *testing.T) {
	o := Options{Environment: "process"}
	ts, err := o.Tasks()
	if err != nil {
		t.Fatal(err)
	}
	seeds, names := map[uint64]string{}, map[string]bool{}
	for _, task := range ts {
		p, err := o.Plan(task)
		if err != nil {
			t.Errorf("%s: %v", task.key(), err)
		}
		if other := seeds[p.Seed]; other != "" {
			t.Errorf("%s and %s have the same seed", task.key(), other)
		}
		seeds[p.Seed] = task.key()
		dir := (&execution{}).dir(attempt{Task: task})
		if names[dir] {
			t.Errorf("two runs go to %s", dir)
		}
		names[dir] = true
	}
	t.Log(len(ts), "runs")
}

func TestSubsets(t *testing.T) {
	o := Options{Rows: []string{"token-lua"}, Columns: []string{"pause", "none"}}
	m, err := New(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Rows) != 2 || len(m.Columns) != 2 || m.Columns[0].Name != "pause" {
		t.Errorf("%d rows, %d columns", len(m.Rows), len(m.Columns))
	}
	if _, err := New(Options{Rows: []string{"token"}}, nil); err == nil {
		t.Error("token is no part of the matrix")
	}
	_, err = New(Options{Columns: []string{"pauses"}}, nil)
	if err == nil || !strings.Contains(err.Error(), `no fault "pauses" (did you mean "pause"?); it has`) {
		t.Error(err)
	}
}

// TestARowThatIsNamedTwiceIsRunOnce: its runs would write into one directory, and a verdict over
// the evidence of both is about neither.
func TestARowThatIsNamedTwiceIsRunOnce(t *testing.T) {
	rows, columns, err := RowsAndColumns([]string{"token-lua", "getset", "token-lua constant"},
		[]string{"crash", "crash"})
	if err != nil || len(rows) != 3 || len(columns) != 1 {
		t.Errorf("%d rows and %d columns, %v; want token-lua, token-lua constant, getset under crash",
			len(rows), len(columns), err)
	}
}

// TestRowsOfOneNameAreRefused: a folder of the user's may have the name of an adapter.
func TestRowsOfOneNameAreRefused(t *testing.T) {
	rows, err := distinct([]Row{{Name: "redis-py", Adapter: "redis-py"}, {Name: "getset"},
		{Name: "redis-py", Adapter: "redis-py"}})
	if err != nil || len(rows) != 2 {
		t.Errorf("an adapter that is named twice: %d rows, %v; want 2", len(rows), err)
	}
	if _, err := distinct([]Row{{Name: "redis-py", Adapter: "redis-py"},
		{Name: "redis-py", Adapter: "./redis-py"}}); err == nil {
		t.Error("two adapters of one name are accepted")
	}
}

// TestColumnsOfLibraries: what a client sends again by itself is asked of libraries only.
func TestColumnsOfLibraries(t *testing.T) {
	has := func(o Options) bool {
		_, cs, err := o.rowsAndColumns()
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(cs, func(c Column) bool { return c.Libraries })
	}
	if has(Options{}) || !has(Options{Adapters: []string{"redsync"}}) {
		t.Error("the columns of libraries are in the matrix of locks, or not in that of libraries")
	}
	tasks, err := Options{Rows: []string{"token-lua"}, Columns: []string{"message"}}.Tasks()
	if err != nil || len(tasks) > 0 {
		t.Errorf("%d runs, %v", len(tasks), err)
	}
	tasks, err = Options{Adapters: []string{"redsync"}, Columns: []string{"message"}}.Tasks()
	if err != nil || len(tasks) == 0 {
		t.Errorf("%d runs, %v", len(tasks), err)
	}
}

// TestALeaseThatAFaultNeeds gives a run of the matrix a lease that outlasts an election.
func TestALeaseThatAFaultNeeds(t *testing.T) {
	row := Row{Name: "etcd-mutex", Impl: "etcd-mutex", Adapter: "etcd-mutex", Variant: "ttl"}
	for fault, want := range map[string]time.Duration{"pause": 2 * time.Second,
		"leader-loss:cut": 5 * time.Second} {
		p, err := Options{Environment: "process", TTL: 2 * time.Second}.Plan(Task{Row: row,
			Aim: Aim{Nemesis: fault}})
		if err != nil || p.TTL.D() != want || p.For.D() < 12*want {
			t.Errorf("%s: a lease of %v for %v: %v", fault, p.TTL.D(), p.For.D(), err)
		}
	}
}
