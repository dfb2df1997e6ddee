package runner_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/internal/run/store"
)

// keyCells are runs on servers of other systems than Redis: what must be found, and what must not.
// A letter is violated, or with a + before it valid.
var keyCells = []struct {
	adapter, variant, nemesis, workload string
	ttl                                 time.Duration
	want                                string
}{
	{"etcd-mutex", "ttl", "none", "fenced", time.Second, "+S +D +F +U"},
	{"etcd-mutex", "ttl", "pause", "mutex", time.Second, "S N +F"},
	{"etcd-mutex", "ttl", "crash", "mutex", time.Second, "+S +D +F"},
	{"etcd-mutex", "ttl", "node-crash", "mutex", time.Second, "+S +F"},
	// a restart keeps the disk, and with it what etcd has confirmed
	{"etcd-mutex", "ttl", "restart", "mutex", 2 * time.Second, "+S +D +F"},
	{"etcd-mutex", "ttl", "restart-delayed", "mutex", 2 * time.Second, "+S +D +F"},
	{"etcd-mutex", "ttl", "disk-loss", "mutex", 2 * time.Second, "F"},
	{"etcd-mutex", "ttl", "partition:stay", "mutex", time.Second, "S +F"},
	// a session must outlast an election, and the time until its client has found the next leader
	{"etcd-mutex", "ttl", "leader-loss", "mutex", 5 * time.Second, "+S +F"},
	// the holder is told while the next client cannot be in yet: one that heeds it leaves in time
	{"etcd-mutex", "ttl", "leader-loss:cut", "heed", 5 * time.Second, "+S +F"},
	{"etcd-mutex", "ttl", "leader-loss:planned", "mutex", 5 * time.Second, "+S +F"},
	{"etcd-mutex", "ttl", "member-loss:two", "mutex", 5 * time.Second, "+S +F"},

	{"go-zookeeper", "lock", "none", "counter", time.Second, "+S +D +U"},
	{"go-zookeeper", "lock", "pause", "mutex", time.Second, "S N"},
	{"go-zookeeper", "ephemeral", "pause", "mutex", time.Second, "S N"},
	{"go-zookeeper", "sequential", "pause", "mutex", time.Second, "S N +F"},
	{"go-zookeeper", "sequential", "crash", "mutex", time.Second, "+S +D +F"},
	{"go-zookeeper", "sequential", "restart", "mutex", 2 * time.Second, "+S +F"},
	{"curator", "mutex", "restart", "mutex", 2 * time.Second, "+S +D"},
	{"go-zookeeper", "sequential", "leader-loss:cut", "mutex", 5 * time.Second, "+S +F"},
	{"go-zookeeper", "lock", "member-loss:lagging", "mutex", 5 * time.Second, "+S"},

	{"curator", "mutex", "none", "counter", 2 * time.Second, "+S +D +U"},
	{"curator", "mutex", "pause", "mutex", 2 * time.Second, "S N"},
	{"curator", "semaphore", "leader-loss", "mutex", 5 * time.Second, "+S"},

	{"postgres", "advisory", "none", "counter", time.Second, "+S +D +U"},
	{"postgres", "advisory", "crash", "mutex", time.Second, "+S +D"},
	{"postgres", "advisory", "disconnect", "mutex", time.Second, "S N"},
	{"postgres", "advisory", "pause", "mutex", time.Second, "+S"},
	{"postgres", "row", "disconnect", "mutex", time.Second, "S N"},
	{"postgres", "lease", "pause", "mutex", time.Second, "S N +L"},
	{"postgres", "lease-client", "none", "counter", time.Second, "+S +D +U +L"},
	{"postgres", "lease-client", "clock-client", "mutex", time.Second, "S L N"},
	{"postgres", "lease", "clock-client", "mutex", time.Second, "+S +L"},
	{"postgres", "advisory", "failover:synced", "mutex", 2 * time.Second, "S N"},
	{"postgres", "row", "failover", "mutex", 2 * time.Second, "S N"},
	{"postgres", "lease", "node-crash", "mutex", time.Second, "+S +L"},
	{"postgres", "lease", "restart", "mutex", 2 * time.Second, "+S +L +D"},
	// the lock of a session ends with the server, whatever the disk keeps
	{"postgres", "advisory", "restart", "mutex", 2 * time.Second, "S"},
	{"postgres", "advisory", "restart-delayed", "mutex", time.Second, "+S +D"},
	{"postgres", "lease", "failover", "mutex", 2 * time.Second, "S L"},
	{"postgres", "lease", "failover:synced", "mutex", 2 * time.Second, "+S +D"},
	{"postgres", "lease", "failover:delayed", "mutex", 2 * time.Second, "S L"},
	{"postgres", "lease-synchronous", "failover:delayed", "mutex", 2 * time.Second, "+S +L"},

	// the session of the server that has the lock is the next client's, too
	{"postgres", "pooled", "none", "counter", time.Second, "S U"},
	{"postgres", "row-pooled", "none", "counter", time.Second, "+S +D +U"},
	{"postgres", "row-pooled", "crash", "mutex", time.Second, "+S +D"},
	{"postgres", "row-pooled", "disconnect", "mutex", time.Second, "S N"},

	// of an optimistic lock U tells; what a standby had not heard of when it was promoted is lost
	{"db-version", "postgres", "none", "", time.Second, "+D +U"},
	{"db-version", "postgres", "pause", "", time.Second, "+D +U"},
	{"db-version", "postgres", "disconnect", "", time.Second, "+U"},
	{"db-version", "postgres", "failover:release", "", 2 * time.Second, "U"},
	{"db-version", "synchronous", "failover:release", "", 2 * time.Second, "+U"},
	{"db-version", "mariadb", "reply-loss", "", time.Second, "+U"},
	{"db-version", "unchecked", "none", "", time.Second, "U"},

	{"mariadb", "get-lock", "none", "counter", time.Second, "+S +D +U"},
	{"mariadb", "get-lock", "crash", "mutex", time.Second, "+S +D"},
	{"mariadb", "get-lock", "node-crash", "mutex", time.Second, "+S"},
	{"mariadb", "get-lock", "restart", "mutex", 2 * time.Second, "S"},
	{"mariadb", "get-lock", "restart-delayed", "mutex", time.Second, "+S +D"},
	{"mariadb", "get-lock", "disconnect", "mutex", time.Second, "S N"},
}

// eachSystem are those of the key cells that CI also runs with servers in containers, and with the
// race detector: each system, and each thing that is done to a server.
var eachSystem = []string{
	"etcd-mutex ttl pause", "etcd-mutex ttl leader-loss", "go-zookeeper sequential pause",
	"postgres lease failover", "postgres row-pooled disconnect", "mariadb get-lock node-crash",
}

// TestKeyCellsOfSystems is what CI wants of each system.
func TestKeyCellsOfSystems(t *testing.T) {
	var only []string
	if testenv.Race {
		only = eachSystem
	}
	testKeyCells(t, runner.Process, only)
}

// TestKeyCellsOfSystemsInContainers wants the same letters of servers in containers.
func TestKeyCellsOfSystemsInContainers(t *testing.T) {
	testenv.SkipRace(t)
	testenv.Part(t, "docker")
	if _, err := docker.ImageID(t.Context(), docker.SystemsImage); err != nil {
		if testenv.Required("docker") {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	testKeyCells(t, runner.Docker, eachSystem)
}

// testKeyCells runs those cells that only names, of the form "adapter variant nemesis"; nil: all.
func testKeyCells(t *testing.T, environment string, only []string) {
	ran := 0
	for _, c := range keyCells {
		name := c.adapter + " " + c.variant + " " + c.nemesis
		if only != nil && !slices.Contains(only, name) {
			continue
		}
		ran++
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(c.nemesis, "-loss") { // three servers, and a lease that they must not miss
				t.Parallel()
			}
			if environment == runner.Process {
				setUp(t, c.adapter, c.variant)
			} else {
				setUpAdapter(t, c.adapter, c.variant)
			}
			o := harness.RunOptions{Adapter: c.adapter, Variant: c.variant, Nemesis: c.nemesis,
				Workload: c.workload, TTL: c.ttl, Thorough: true, Seed: 1, Environment: environment}
			if strings.HasPrefix(c.nemesis, "failover") {
				o.Hold = c.ttl / 4 // outlasts a client's way to the new master on a busy machine
			}
			if environment == runner.Docker && c.ttl < 5*time.Second {
				o.TTL += 2 * time.Second // a container takes longer to end, and its server to be asked
			}
			demandLetters(t, o, strings.Fields(c.want))
		})
	}
	if only != nil && ran != len(only) {
		t.Errorf("%d of the %d cells are there", ran, len(only))
	}
}

// setUp skips a test whose adapter or system is not here, unless it is required.
func setUp(t *testing.T, name, variant string) {
	t.Helper()
	testenv.Part(t, setUpAdapter(t, name, variant).System)
}

// setUpAdapter skips a test whose adapter is not here, unless it is required.
func setUpAdapter(t *testing.T, name, variant string) adapters.Use {
	t.Helper()
	a, err := adapters.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	u, err := a.Use(variant)
	if err != nil {
		t.Fatal(err)
	}
	if !testenv.Required("adapters") && (a.Missing() != nil || !a.IsSetUp()) {
		t.Skipf("not set up here: lockbench adapters setup %s", name)
	}
	return u
}

// mostTries is how often a run is made until its letters are as they must be, and besideOthers how
// often while other runs of these tests go on.
const (
	mostTries    = 16
	besideOthers = 3
)

// demandLetters runs a plan until its letters are as they must be: a machine that stalls makes them
// unknown, hides one that must be there, or lets a session end, and then the plan is run again.
// Another letter that must not be there fails at once, unless servers are in containers: on a busy
// machine these can take longer to start again than any lease of a test lasts.
func demandLetters(t *testing.T, o harness.RunOptions, letters []string) {
	t.Helper()
	contained := o.Environment == runner.Docker
	for try := 1; ; try++ {
		if contained && try == besideOthers+1 { // the machine is slow: give each step twice its time
			o.TTL, o.Hold = 2*o.TTL, 2*o.Hold
		}
		p, _, err := runner.Prepare(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		var r *store.Run
		testenv.Run(try > besideOthers, func() {
			r, err = runner.Run(t.Context(), p, runner.Options{Dir: filepath.Join(t.TempDir(), "run")})
		})
		if err != nil && contained && try < mostTries { // a server in a container did not answer in time
			t.Logf("again: %v", err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got, ended := map[string]checker.Result{}, map[string]bool{}
		for _, p := range r.Verdict.Properties {
			got[p.Property] = checker.Result(p.Verdict.String()) // no result is unknown, too
			ended[p.Property] = p.Class == checker.SessionLost || p.Class == checker.AfterNotice
		}
		var missing []string
		for _, l := range letters {
			letter, valid := strings.CutPrefix(l, "+")
			want := checker.Violated
			if valid {
				want = checker.Valid
			}
			switch {
			case got[letter] == want:
			case got[letter] == checker.Unknown || want == checker.Violated || contained,
				ended[letter]: // a session that no fault of the run ended: the machine was too slow
				missing = append(missing, fmt.Sprintf("%s is %s, not %s", letter, got[letter], want))
			default:
				t.Errorf("%s is %s, not %s: %s", letter, got[letter], want, r.Verdict.Summary)
			}
		}
		if len(missing) == 0 || t.Failed() {
			return
		}
		if try == mostTries {
			t.Fatalf("%d times: %s: %s", try, strings.Join(missing, ", "), r.Verdict.Summary)
		}
		t.Logf("again: %s: %s", strings.Join(missing, ", "), r.Verdict.Summary)
	}
}

// TestWhatASystemCannotHave is refused before anything starts, with the reason.
func TestWhatASystemCannotHave(t *testing.T) {
	testenv.Part(t, "etcd")
	for nemesis, want := range map[string]string{
		"failover":      "no replica lags behind",
		"pause:between": "the commands of its clients are not seen",
		"late":          "its clients choose their connections themselves; use --nemesis late:reply",
		"busy:stay":     "it has no script or command that keeps it busy",
	} {
		o := harness.RunOptions{Adapter: "etcd-mutex", Nemesis: nemesis}
		if _, _, err := runner.Prepare(t.Context(), o); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", nemesis, err)
		}
	}
	o := harness.RunOptions{Adapter: "etcd-mutex", Nemesis: "none", Environment: "external"}
	if _, _, err := runner.Prepare(t.Context(), o); err == nil ||
		!strings.Contains(err.Error(), "take --env process") {
		t.Errorf("on servers of another owner: %v", err)
	}
}

// TestAMissingServerIsOneLine names the command that brings it.
func TestAMissingServerIsOneLine(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	o := harness.RunOptions{Adapter: "etcd-mutex", Nemesis: "none"}
	_, _, err := runner.Prepare(t.Context(), o)
	if err == nil || err.Error() != "etcd is not installed: `apt-get install etcd-server`" {
		t.Error(err)
	}
}
