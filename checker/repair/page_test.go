package repair_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker/repair"
	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// page is where a reader finds the table. UPDATE=1 writes it.
const page = "../../docs/locks/repairs.md"

func TestThePageIsOfTheTable(t *testing.T) {
	testenv.SkipRace(t)
	want := written() + `
## Where no run has shown a repair

Then use another lock. The rows are of locks and libraries without a row above: each violation in
the published records is here, or has a row above, or another lock of its library stays clean.

A key that **vanished** was evicted, flushed or deleted by a third party, and no lock in Redis
prevents that: ` + "`lockbench run --impl token-lua --nemesis flush`" + `. Give locks a Redis of their
own with ` + "`maxmemory-policy noeviction`" + `, or use etcd or a row of a database, which evict
nothing. No run here deletes a key there.
A **missed wake-up** (clients that wait do not ask again) needs a wait with an end: subscribe before
the try, and ask again after a bounded time even if no message came.
A **session of a database** does not lock behind a pool in transaction mode. Use a row lock
(` + "`lockbench run --adapter postgres --variant row-pooled`" + `) or a connection of its own.

| violation | under | use |
|---|---|---|
` + elsewhere(t)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil || string(got) != want {
		t.Errorf("%s is not of the table; UPDATE=1 go test ./checker/repair writes it (%v)", page, err)
	}
}

// written returns the page.
func written() string {
	var b strings.Builder
	b.WriteString("# Each lock, repaired\n\n**The answer.** The table has the smallest change that " +
		"removes a violation of a lock, or makes it\nharmless. `lockbench run` prints it. A test runs " +
		"each row: the lock as it is violates something, and with\nthe change it does not, under the " +
		"same fault (`checker/repair/repair_test.go`). Where no\nrun has shown a repair, " +
		"[the last table](#where-no-run-has-shown-a-repair) has the lock to use. A lock\n" +
		"whose name is a phrase is a small one of that test, with and without its defect\n" +
		"(`checker/repair/handmade_test.go`).\n")
	said := map[string]bool{}
	for _, r := range repair.Rows() {
		if !said[r.Name] {
			said[r.Name] = true
			fmt.Fprintf(&b, "\n## %s\n\n%s.\n", r.Name, r.Do)
			if len(r.Code) > 0 {
				fmt.Fprintf(&b, "\n```\n%s\n```\n", strings.Join(r.Code, "\n"))
			}
			if r.Limit != "" {
				fmt.Fprintf(&b, "\n%s\n", r.Limit)
			}
		}
	}
	b.WriteString("\n## The table\n\n| violation | locks | under | change | runs with it keep |\n" +
		"|---|---|---|---|---|\n")
	for _, r := range repair.Rows() {
		fmt.Fprintf(&b, "| %s | %s | %s | [%s](#%s) | `%s`: %s |\n", r.Kind, strings.Join(r.Locks, ", "),
			strings.Join(r.Faults, ", "), r.Name, strings.ReplaceAll(r.Name, " ", "-"),
			strings.TrimSpace(r.With.Flags("")), strings.Join(r.Keeps, ", "))
	}
	return b.String()
}

// TestCodeFitsAScreen wants lines of code that gate prints in 100 columns, behind its heading.
func TestCodeFitsAScreen(t *testing.T) {
	for _, r := range repair.Rows() {
		for _, line := range r.Code {
			if len(line) > 88 {
				t.Errorf("%s: %d columns: %s", r.Name, len(line), line)
			}
		}
	}
}
