package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/lockbench/lockbench/"

// rooms says which of our packages each may import (docs/design.md, Rooms). A package that is not
// here is a new room: add it, and say what for.
var rooms = map[string][]string{
	"history":     {},
	"history/edn": {"history", "internal/strictyaml"},
	// from history, which error replies are given instead of carrying out a command
	"impls": {"history", "internal/advice"},
	// what each lock may do, apart from how it does it; a fault may move a clock or double a command
	"impls/spec": {"history", "impls", "nemesis"},
	"nemesis":    {"history", "internal/advice"},
	// workloads has the phases of a cycle and what a redirect means from nemesis
	"workloads":    {"history", "impls", "nemesis"},
	"reports/page": {"checker"},
	// beside a run that does a counterexample again lies its file
	"reports/view": {"internal/advice",
		"history", "nemesis", "checker", "checker/record", "checker/trace",
		"internal/explore/counterexample", "internal/store", "reports/page"},
	"reports/timeline": {"history", "checker/record", "checker/trace", "reports/page", "reports/view"},
	"reports/sequence": {"history", "checker", "checker/record", "reports/page", "reports/view"},
	"reports/figure": {"history", "checker/record", "internal/explore/counterexample",
		"reports/page", "reports/view"},
	"reports/hint": {"checker", "history", "internal/advice", "internal/harness", "internal/matrix",
		"internal/measured", "nemesis"},
	// who prints a command asks advice for it, so that a test can run each
	"internal/advice":  {"internal/units"},
	"reports/terminal": {"checker", "reports/page", "reports/view"},
	// a report says how likely what it shows is, what would have helped, and what to use instead
	"reports": {"internal/advice",
		"history", "history/edn", "internal/harness", "internal/measured", "checker",
		"internal/store", "reports/page", "reports/view",
		"reports/timeline", "reports/sequence", "reports/figure"},
	// it chooses among its locks as the verb choose does
	"reports/matrix": {"internal/advice",
		"history", "impls", "checker", "internal/batch", "internal/matrix",
		"internal/measured", "internal/store", "internal/study", "reports", "reports/page",
		"reports/figure", "reports/view"},
	// it draws and shrinks the runs that show what is not as expected
	"reports/gate": {"internal/advice",
		"checker", "internal/batch", "internal/explore", "internal/gate",
		"internal/harness", "internal/store", "reports", "reports/page", "reports/view"},
	"reports/compare": {"internal/compare", "reports/page", "reports/figure"},
	"reports/serve": {"history", "history/edn", "checker", "internal/store", "internal/matrix",
		"internal/gate", "internal/compare", "internal/pool", "reports", "reports/compare",
		"reports/gate", "reports/matrix", "reports/page", "reports/view"},
	"reports/reporttest": {"history", "checker", "internal/store", "internal/batch",
		"internal/matrix", "internal/testenv", "reports/view"},

	"checker": {"history", "checker/record", "checker/trace", "checker/verdict", "checker/explain",
		"checker/rules", "checker/online"},
	"checker/online": {"history", "checker/record", "checker/verdict", "checker/linear",
		"checker/explain", "checker/rules"},
	"checker/rules": {"history", "nemesis", "checker/record", "checker/trace", "checker/verdict",
		"checker/linear", "checker/explain", "checker/rules/progress", "checker/rules/leftover"},
	"checker/rules/progress":    {"checker/record"},
	"checker/rules/leftover":    {"history", "checker/record", "checker/trace", "checker/explain"},
	"checker/linear":            {"history", "checker/record"},
	"checker/linear/lineartest": {"checker/linear", "checker/record"},
	"checker/record":            {"history", "nemesis"},
	"checker/trace":             {"history", "checker/record"},
	"checker/verdict":           {"history"},
	// words are about what was found, and never the other way round
	"checker/explain": {"history", "nemesis", "checker/record", "checker/linear", "checker/verdict"},

	// what a stranger copies: it knows nothing of lockbench, and go-redis only below it
	"adapters/sdk/go":         {},
	"adapters/sdk/go/goredis": {"adapters/sdk/go"},
	"adapters/sdk/go/example": {"adapters/sdk/go", "adapters/sdk/go/goredis"},

	// how the adapters are embedded, described and set up; proc: the lock of a folder in the cache
	"adapters": {"internal/advice", "internal/cluster/proc"},
	// a worker whose lock is in another process, behind a tap
	"internal/adapter": {"adapters", "history", "impls", "nemesis", "workloads",
		"internal/cluster/clock", "internal/cluster/proc", "internal/cluster/server",
		"internal/cluster/system", "internal/tap"},
	// a plan has what must be known of its adapter
	"internal/harness": {"internal/advice", "adapters", "history", "impls", "nemesis", "workloads"},
	"docker": {"history", "nemesis", "workloads", "internal/cluster/clock",
		"internal/cluster/proxy", "internal/cluster/server", "internal/cluster/worker"},
	"internal/cluster": {"history", "impls", "nemesis", "workloads", "internal/cluster/proc",
		"internal/cluster/clock", "internal/cluster/proxy", "internal/cluster/server",
		"internal/cluster/worker"},
	"internal/cluster/memory": {},
	"internal/cluster/proc":   {},
	// other servers than Redis, which are started as those are
	"internal/cluster/system": {"internal/cluster/proc", "internal/cluster/server"},
	"internal/cluster/clock":  {},
	"internal/cluster/worker": {"workloads", "internal/cluster/proc"},
	"internal/cluster/proxy":  {"nemesis", "internal/cluster/proc", "internal/cluster/clock"},
	"internal/cluster/server": {"history", "nemesis", "workloads", "internal/cluster/memory",
		"internal/cluster/proc", "internal/cluster/clock", "internal/cluster/proxy",
		"internal/cluster/worker"},
	// what nodes showed of scripts becomes a part of the trace before it is judged
	"internal/store":       {"history", "checker", "checker/trace"},
	"internal/tap":         {"history", "nemesis"}, // what happens to a command
	"internal/sim":         {"history", "impls", "nemesis", "workloads", "internal/sim/engine"},
	"internal/sim/engine":  {},
	"internal/sim/asredis": {},
	"internal/explore": {"internal/advice",
		"history", "impls", "nemesis", "workloads", "checker", "internal/harness",
		"internal/sim", "internal/batch", "internal/explore/counterexample",
		"internal/explore/simrun"},
	"internal/explore/counterexample": {"internal/advice",
		"history", "nemesis", "checker", "internal/harness"},
	"internal/explore/simrun": {"history", "nemesis", "workloads", "checker", "internal/harness",
		"internal/sim", "internal/explore/counterexample"},
	// random numbers of locks that are linked into the program, and the adapter that is
	"internal/linked": {"adapters", "internal/harness", "workloads"},
	// the lock of an adapter without its process
	"internal/linked/bridge": {"adapters", "adapters/sdk/go", "history", "impls", "internal/linked",
		"workloads"},
	// for tests in other repositories; a lock is described there as that of an adapter is
	"locktest": {"adapters", "history", "impls", "nemesis", "workloads", "internal/explore",
		"internal/explore/counterexample", "internal/explore/simrun", "internal/harness",
		"internal/linked"},
	"internal/replay": {"history", "nemesis", "workloads", "checker", "internal/harness",
		"internal/sim", "internal/cluster", "internal/cluster/server", "internal/store",
		"internal/explore/counterexample", "internal/explore/simrun", "internal/runner", "docker"},
	"internal/batch":           {"history", "checker", "internal/harness"},
	"internal/batch/batchtest": {"checker", "internal/batch"},
	// nemesis: which aims a fault has, and which are controls
	"internal/matrix": {"adapters", "history", "impls", "nemesis", "checker", "internal/harness",
		"internal/batch", "internal/store"},
	// its entries are carried out as run and replay would; a snapshot has the cells of the matrix.
	// nemesis: what an environment cannot do by design is told from a run that broke
	"internal/gate": {"internal/advice",
		"adapters", "impls", "nemesis", "workloads", "internal/matrix", "history",
		"checker", "internal/harness", "internal/batch", "internal/store",
		"internal/explore/counterexample", "internal/replay", "internal/runner"},
	// it reads what Go says of a binary, and nothing of lockbench
	"internal/release": {},
	"internal/compare": {"internal/advice",
		"history", "checker", "internal/store", "internal/batch", "internal/matrix",
		"internal/gate"},
	"internal/mutate": {},
	"internal/mutate/detection": {"history", "impls", "impls/spec", "workloads", "checker",
		"internal/harness",
		"internal/sim", "internal/explore", "internal/explore/simrun", "internal/batch",
		"internal/matrix", "internal/mutate"},
	"internal/mutate/probe": {"internal/mutate/detection"},
	// what the servers of a simulated run did, held against every statement of its verdict
	"internal/oracle": {"history", "impls", "nemesis", "workloads", "checker", "checker/record",
		"checker/trace", "checker/verdict", "internal/resp", "internal/sim", "internal/sim/engine",
		"internal/explore", "internal/explore/simrun", "internal/matrix"},
	"internal/oracle/measure": {"internal/oracle"},
	"internal/mutate/detect": {"internal/matrix", "internal/mutate", "internal/mutate/detection",
		"internal/store", "internal/study"},
	// the page of the mutants is one of the project's own pages
	"internal/study": {"history", "internal/mutate", "internal/mutate/detection", "nemesis",
		"workloads", "checker", "internal/harness",
		"internal/explore", "internal/batch", "internal/matrix", "internal/store"},
	// how fast locks are on each system
	"internal/ranking": {"history", "internal/batch", "internal/store"},
	"internal/ranking/measure": {"history", "internal/harness", "internal/ranking",
		"internal/runner", "internal/store"},
	// what many cells cost on many machines
	"internal/campaign": {"docs", "internal/batch", "internal/matrix"},
	// how often and how fast cells of the matrix and mutants are found without an aim
	"internal/searched": {"history", "internal/explore", "internal/matrix", "internal/store"},
	// which counterexamples of the cells of the matrix real Redis confirms
	"internal/replayed": {"internal/explore", "internal/explore/counterexample", "internal/matrix",
		"internal/replay", "internal/runner", "internal/searched", "internal/store", "internal/study"},
	"internal/replayed/measure": {"internal/replayed", "internal/study"},
	"internal/searched/measure": {"internal/batch", "internal/explore", "internal/matrix",
		"internal/mutate/detection", "internal/searched", "internal/store", "internal/study"},
	// what the records of docs say of a lock and a fault
	"docs": {},
	"internal/measured": {"internal/advice",
		"docs", "history", "impls", "nemesis", "checker", "internal/batch",
		"internal/explore", "internal/harness", "internal/matrix", "internal/searched", "internal/study"},
	// the stories of the documents, and the tutorial
	"internal/tour": {"internal/batch"},
	// a run has to be one of its lock by the lock's specification
	"internal/runner": {"internal/advice",
		"adapters", "history", "impls/spec", "nemesis", "checker", "internal/adapter",
		"internal/harness", "internal/cluster",
		"internal/cluster/server", "internal/cluster/system",
		"docker", "internal/sim", "internal/store"},
	"internal/doctor": {"internal/advice", "adapters", "history", "nemesis", "internal/harness",
		"internal/cluster/server", "internal/cluster/system",
		"internal/cluster/clock", "internal/cluster/worker", "docker",
		"internal/sim", "internal/runner"},
	"internal/pool":     {},
	"internal/progress": {},
	"internal/resp":     {},
	"internal/archtest": {},
	"internal/format1":  {},
	"internal/units":    {},
	// it knows only that fields of old files have other names
	"internal/strictyaml": {},
	"internal/testenv":    {},
	wiring:                nil,
}

// wiring may import every room.
const wiring = "cmd/lockbench"

// anyRoom may be imported by every room: they know nothing of locks.
var anyRoom = []string{"internal/format1", "internal/pool", "internal/progress", "internal/resp",
	"internal/strictyaml", "internal/units"}

// heavy libraries live in one room each.
var heavy = map[string]string{
	"github.com/Shopify/toxiproxy":      "internal/cluster/proxy",
	"github.com/anishathalye/porcupine": "checker/linear",
	"gonum.org/v1/plot":                 "reports/figure",
	"github.com/testcontainers":         "docker",
	"github.com/moby/moby":              "docker",
	"github.com/spf13/cobra":            "cmd/lockbench",
	"github.com/spf13/pflag":            "cmd/lockbench",
	"golang.org/x/term":                 "internal/progress",
	"github.com/chromedp":               "reports/reporttest",
	"olympos.io/encoding/edn":           "history/edn",
	"github.com/goccy/go-yaml/parser":   "internal/strictyaml",
}

func TestEveryRoomImportsOnlyWhatItMay(t *testing.T) {
	for _, f := range sources(t) {
		room := filepath.ToSlash(filepath.Dir(f.name))
		allowed, known := rooms[room]
		if !known {
			t.Errorf("%s is in no known room; add %q to the table with what it may import", f.name, room)
			continue
		}
		for _, imp := range f.imports {
			if ours, ok := strings.CutPrefix(imp, module); ok && room != wiring &&
				!slices.Contains(allowed, ours) &&
				!slices.Contains(anyRoom, ours) {
				t.Errorf("%s imports %s, which %s may not", f.name, ours, room)
			}
			for lib, home := range heavy {
				if (imp == lib || strings.HasPrefix(imp, lib+"/")) && room != home {
					t.Errorf("%s imports %s, which belongs in %s", f.name, imp, home)
				}
			}
		}
	}
}

type source struct {
	name    string
	imports []string
}

// sources are the imports of every Go file of the module that is not a test.
func sources(t *testing.T) (all []source) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" ||
			d.Name() == "store" || name == "docs/examples") { // repositories of users
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		s := source{name: name}
		for _, i := range f.Imports {
			s.imports = append(s.imports, strings.Trim(i.Path.Value, `"`))
		}
		all = append(all, s)
		return nil
	})
	if err != nil || len(all) < 20 {
		t.Fatalf("read %d files: %v", len(all), err)
	}
	return all
}
