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
	"internal/history":     {},
	"internal/history/edn": {"internal/history", "internal/base/strictyaml"},
	// from history, which error replies are given instead of carrying out a command
	"impls": {"internal/history", "internal/choose/advice"},
	// what each lock may do, apart from how it does it; a fault may move a clock or double a command
	"impls/spec": {"internal/history", "impls", "nemesis"},
	"nemesis":    {"internal/history", "internal/choose/advice"},
	// workloads has the phases of a cycle and what a redirect means from nemesis
	"workloads":    {"internal/history", "impls", "nemesis"},
	"reports/page": {"checker"},
	// beside a run that does a counterexample again lies its file
	"reports/view": {"internal/choose/advice",
		"internal/history", "nemesis", "checker", "checker/record", "checker/trace",
		"internal/search/explore/counterexample", "internal/run/store", "reports/page"},
	"reports/timeline": {"internal/history", "checker/record", "checker/trace", "reports/page",
		"reports/view"},
	"reports/sequence": {"internal/history", "checker", "checker/record", "reports/page",
		"reports/view"},
	"reports/figure": {"internal/history", "checker/record",
		"internal/search/explore/counterexample", "reports/page", "reports/view"},
	"reports/hint": {"checker", "internal/history", "internal/choose/advice", "internal/harness",
		"internal/campaign/matrix", "internal/choose", "nemesis"},
	// who prints a command asks advice for it, so that a test can run each
	"internal/choose/advice": {"internal/base/units"},
	"reports/terminal":       {"checker", "reports/page", "reports/view"},
	// a report says how likely what it shows is, what would have helped, and what to use instead
	"reports": {"internal/choose/advice", "internal/history", "internal/history/edn",
		"internal/harness", "internal/choose", "checker", "internal/run/store", "reports/page",
		"reports/view", "reports/timeline", "reports/sequence", "reports/figure"},
	// it chooses among its locks as the verb choose does
	"reports/matrix": {"internal/choose/advice",
		"internal/history", "impls", "checker", "internal/run/batch", "internal/campaign/matrix",
		"internal/choose", "internal/run/store", "lab/study", "reports", "reports/page",
		"reports/figure", "reports/view"},
	// it draws and shrinks the runs that show what is not as expected
	"reports/gate": {"internal/choose/advice",
		"checker", "internal/run/batch", "internal/search/explore", "internal/campaign/gate",
		"internal/harness", "internal/run/store", "reports", "reports/page", "reports/view"},
	"reports/compare": {"internal/campaign/compare", "reports/page", "reports/figure"},
	"reports/serve": {"internal/history", "internal/history/edn", "checker", "internal/run/store",
		"internal/campaign/matrix", "internal/campaign/gate", "internal/campaign/compare",
		"internal/base/pool", "reports", "reports/compare", "reports/gate", "reports/matrix",
		"reports/page", "reports/view"},
	"reports/reporttest": {"internal/history", "checker", "internal/run/store",
		"internal/run/batch", "internal/campaign/matrix", "internal/dev/testenv", "reports/view"},

	"checker": {"internal/history", "checker/record", "checker/trace", "checker/verdict",
		"checker/explain", "checker/rules", "checker/online"},
	"checker/online": {"internal/history", "checker/record", "checker/verdict", "checker/linear",
		"checker/explain", "checker/rules"},
	"checker/rules": {"internal/history", "nemesis", "checker/record", "checker/trace",
		"checker/verdict", "checker/linear", "checker/explain", "checker/rules/progress",
		"checker/rules/leftover"},
	"checker/rules/progress": {"checker/record"},
	"checker/rules/leftover": {"internal/history", "checker/record", "checker/trace",
		"checker/explain"},
	"checker/linear":            {"internal/history", "checker/record"},
	"checker/linear/lineartest": {"checker/linear", "checker/record"},
	"checker/record":            {"internal/history", "nemesis"},
	"checker/trace":             {"internal/history", "checker/record"},
	"checker/verdict":           {"internal/history"},
	// words are about what was found, and never the other way round
	"checker/explain": {"internal/history", "nemesis", "checker/record", "checker/linear",
		"checker/verdict"},

	// what a stranger copies: it knows nothing of lockbench, and go-redis only below it
	"adapters/sdk/go":         {},
	"adapters/sdk/go/goredis": {"adapters/sdk/go"},
	"adapters/sdk/go/example": {"adapters/sdk/go", "adapters/sdk/go/goredis"},

	// how the adapters are embedded, described and set up; proc: the lock of a folder in the cache
	"adapters": {"internal/choose/advice", "internal/base/proc"},
	// a worker whose lock is in another process, behind a tap
	"internal/foreign/adapter": {"adapters", "internal/history", "impls", "nemesis", "workloads",
		"internal/env/cluster/clock", "internal/base/proc", "internal/env/cluster/server",
		"internal/env/cluster/system", "internal/foreign/tap"},
	// a plan has what must be known of its adapter
	"internal/harness": {"internal/choose/advice", "adapters", "internal/history", "impls",
		"nemesis", "workloads"},
	"docker": {"internal/history", "nemesis", "workloads", "internal/env/cluster/clock",
		"internal/env/cluster/proxy", "internal/env/cluster/server", "internal/env/cluster/worker"},
	"internal/env/cluster": {"internal/history", "impls", "nemesis", "workloads",
		"internal/base/proc", "internal/env/cluster/clock", "internal/env/cluster/proxy",
		"internal/env/cluster/server", "internal/env/cluster/worker"},
	"internal/env/cluster/memory": {},
	"internal/base/proc":          {},
	// other servers than Redis, which are started as those are
	"internal/env/cluster/system": {"internal/base/proc", "internal/env/cluster/server"},
	"internal/env/cluster/clock":  {},
	"internal/env/cluster/worker": {"workloads", "internal/base/proc"},
	"internal/env/cluster/proxy":  {"nemesis", "internal/base/proc", "internal/env/cluster/clock"},
	"internal/env/cluster/server": {"internal/history", "nemesis", "workloads",
		"internal/env/cluster/memory", "internal/base/proc", "internal/env/cluster/clock",
		"internal/env/cluster/proxy", "internal/env/cluster/worker"},
	// what nodes showed of scripts becomes a part of the trace before it is judged
	"internal/run/store":   {"internal/history", "checker", "checker/trace"},
	"internal/foreign/tap": {"internal/history", "nemesis"}, // what happens to a command
	"internal/env/sim": {"internal/history", "impls", "nemesis", "workloads",
		"internal/env/sim/engine"},
	"internal/env/sim/engine":  {},
	"internal/env/sim/asredis": {},
	"internal/search/explore": {"internal/choose/advice",
		"internal/history", "impls", "nemesis", "workloads", "checker", "internal/harness",
		"internal/env/sim", "internal/run/batch", "internal/search/explore/counterexample",
		"internal/search/explore/simrun"},
	"internal/search/explore/counterexample": {"internal/choose/advice",
		"internal/history", "nemesis", "checker", "internal/harness"},
	"internal/search/explore/simrun": {"internal/history", "nemesis", "workloads", "checker",
		"internal/harness", "internal/env/sim", "internal/search/explore/counterexample"},
	// random numbers of locks that are linked into the program, and the adapter that is
	"internal/foreign/linked": {"adapters", "internal/harness", "workloads"},
	// the lock of an adapter without its process
	"internal/foreign/linked/bridge": {"adapters", "adapters/sdk/go", "internal/history", "impls",
		"internal/foreign/linked", "workloads"},
	// for tests in other repositories; a lock is described there as that of an adapter is
	"locktest": {"adapters", "internal/history", "impls", "nemesis", "workloads",
		"internal/search/explore", "internal/search/explore/counterexample",
		"internal/search/explore/simrun", "internal/harness", "internal/foreign/linked"},
	"internal/search/replay": {"internal/history", "nemesis", "workloads", "checker",
		"internal/harness", "internal/env/sim", "internal/env/cluster",
		"internal/env/cluster/server", "internal/run/store",
		"internal/search/explore/counterexample", "internal/search/explore/simrun",
		"internal/run/runner", "docker"},
	"internal/run/batch":           {"internal/history", "checker", "internal/harness"},
	"internal/run/batch/batchtest": {"checker", "internal/run/batch"},
	// nemesis: which aims a fault has, and which are controls
	"internal/campaign/matrix": {"adapters", "internal/history", "impls", "nemesis", "checker",
		"internal/harness", "internal/run/batch", "internal/run/store"},
	// its entries are carried out as run and replay would; a snapshot has the cells of the matrix.
	// nemesis: what an environment cannot do by design is told from a run that broke
	"internal/campaign/gate": {"internal/choose/advice",
		"adapters", "impls", "nemesis", "workloads", "internal/campaign/matrix", "internal/history",
		"checker", "internal/harness", "internal/run/batch", "internal/run/store",
		"internal/search/explore/counterexample", "internal/search/replay", "internal/run/runner"},
	// it reads what Go says of a binary, and nothing of lockbench
	"internal/dev/release": {},
	"internal/campaign/compare": {"internal/choose/advice", "internal/history", "checker",
		"internal/run/store", "internal/run/batch", "internal/campaign/matrix",
		"internal/campaign/gate"},
	"lab/mutate": {},
	"lab/mutate/detection": {"internal/history", "impls", "impls/spec", "workloads", "checker",
		"internal/harness", "internal/env/sim", "internal/search/explore",
		"internal/search/explore/simrun", "internal/run/batch", "internal/campaign/matrix",
		"lab/mutate"},
	"lab/mutate/probe": {"lab/mutate/detection"},
	// what the servers of a simulated run did, held against every statement of its verdict
	"lab/oracle": {"internal/history", "impls", "nemesis", "workloads", "checker",
		"checker/record", "checker/trace", "checker/verdict", "internal/base/resp",
		"internal/env/sim", "internal/env/sim/engine", "internal/search/explore",
		"internal/search/explore/simrun", "internal/campaign/matrix"},
	"lab/oracle/measure": {"lab/oracle"},
	"lab/mutate/detect": {"internal/campaign/matrix", "lab/mutate", "lab/mutate/detection",
		"internal/run/store", "lab/study"},
	// the page of the mutants is one of the project's own pages
	"lab/study": {"internal/history", "lab/mutate", "lab/mutate/detection", "nemesis",
		"workloads", "checker", "internal/harness", "internal/search/explore",
		"internal/run/batch", "internal/campaign/matrix", "internal/run/store"},
	// how fast locks are on each system
	"lab/ranking": {"internal/history", "internal/run/batch", "internal/run/store"},
	"lab/ranking/measure": {"internal/history", "internal/harness", "lab/ranking",
		"internal/run/runner", "internal/run/store"},
	// what many cells cost on many machines
	"lab/campaign": {"docs", "internal/run/batch", "internal/campaign/matrix"},
	// how often and how fast cells of the matrix and mutants are found without an aim
	"lab/searched": {"internal/history", "internal/search/explore", "internal/campaign/matrix",
		"internal/run/store"},
	// which counterexamples of the cells of the matrix real Redis confirms
	"lab/replayed": {"internal/search/explore", "internal/search/explore/counterexample",
		"internal/campaign/matrix", "internal/search/replay", "internal/run/runner",
		"lab/searched", "internal/run/store", "lab/study"},
	"lab/replayed/measure": {"lab/replayed", "lab/study"},
	"lab/searched/measure": {"internal/run/batch", "internal/search/explore",
		"internal/campaign/matrix", "lab/mutate/detection", "lab/searched", "internal/run/store",
		"lab/study"},
	// what the records of docs say of a lock and a fault
	"docs": {},
	"internal/choose": {"internal/choose/advice", "docs", "internal/history", "impls", "nemesis",
		"checker", "internal/run/batch", "internal/search/explore", "internal/harness",
		"internal/campaign/matrix", "lab/searched", "lab/study"},
	// the stories of the documents, and the tutorial
	"internal/campaign/tour": {"internal/run/batch"},
	// a run has to be one of its lock by the lock's specification
	"internal/run/runner": {"internal/choose/advice", "adapters", "internal/history",
		"impls/spec", "nemesis", "checker", "internal/foreign/adapter", "internal/harness",
		"internal/env/cluster", "internal/env/cluster/server", "internal/env/cluster/system",
		"docker", "internal/env/sim", "internal/run/store"},
	"internal/run/doctor": {"internal/choose/advice", "adapters", "internal/history", "nemesis",
		"internal/harness", "internal/env/cluster/server", "internal/env/cluster/system",
		"internal/env/cluster/clock", "internal/env/cluster/worker", "docker", "internal/env/sim",
		"internal/run/runner"},
	"internal/base/pool":     {},
	"internal/base/progress": {},
	"internal/base/resp":     {},
	"internal/dev/archtest":  {},
	"internal/format1":       {},
	"internal/base/units":    {},
	// it knows only that fields of old files have other names
	"internal/base/strictyaml": {},
	"internal/dev/testenv":     {},
	wiring:                     nil,
}

// wiring may import every room.
const wiring = "cmd/lockbench"

// anyRoom may be imported by every room: they know nothing of locks.
var anyRoom = []string{"internal/format1", "internal/base/pool", "internal/base/progress",
	"internal/base/resp",
	"internal/base/strictyaml", "internal/base/units"}

// heavy libraries live in one room each.
var heavy = map[string]string{
	"github.com/Shopify/toxiproxy":      "internal/env/cluster/proxy",
	"github.com/anishathalye/porcupine": "checker/linear",
	"gonum.org/v1/plot":                 "reports/figure",
	"github.com/testcontainers":         "docker",
	"github.com/moby/moby":              "docker",
	"github.com/spf13/cobra":            "cmd/lockbench",
	"github.com/spf13/pflag":            "cmd/lockbench",
	"golang.org/x/term":                 "internal/base/progress",
	"github.com/chromedp":               "reports/reporttest",
	"olympos.io/encoding/edn":           "internal/history/edn",
	"github.com/goccy/go-yaml/parser":   "internal/base/strictyaml",
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
	root := filepath.Join("../../..")
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
