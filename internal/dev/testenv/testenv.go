// Package testenv lets tests name the programs that they need. A missing program skips the test
// with one line. The test fails instead if LOCKBENCH_REQUIRE names the program ("redis,chromium"):
// CI must not pass because nothing was tested.
package testenv

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// The parts, and the command that identifies each.
var commands = map[string]string{
	"redis": "redis-server", "sentinel": "redis-sentinel", "chromium": "chromium", "cc": "cc",
	"python3": "python3", "docker": "docker", "faketime": "faketime",
	"bridge": "docker", "compose": "docker-compose", "curl": "curl", "jq": "jq",
	"etcd": "etcd", "zookeeper": "java", "postgres": "psql", "pgbouncer": "pgbouncer",
	"postgres-synchronous": "psql",
	"mariadb":              "mariadb-install-db",
}

// postgres looks for the server, which PATH does not have.
const postgres = "ls /usr/lib/postgresql/*/bin/postgres || which postgres"

// probes are the checks of parts that may be installed but not usable, such as a daemon that does
// not run or has no bridge.
var probes = map[string][]string{
	"docker": {"docker", "version", "--format", "{{.Server.Version}}"},
	"bridge": {"docker", "network", "inspect", "bridge"},
	// needed for a virtual environment
	"python3": {"python3", "-c", "import ensurepip"},
	// the archive in Debian's package, and the servers in addition to their clients
	"zookeeper":            {"test", "-e", "/usr/share/java/zookeeper.jar"},
	"postgres":             {"sh", "-c", postgres},
	"postgres-synchronous": {"sh", "-c", postgres},
	"mariadb":              {"sh", "-c", "PATH=$PATH:/usr/sbin; which mariadbd"},
}

// now is an environment variable that differs in each run of make. It prevents go from caching the
// results of tests that depend on more than their own files.
const now = "LOCKBENCH_NOW"

// versions names the environment variable with a part's version, set by make. It is for parts whose
// results can be cached: a browser shows our pages in the same way until its version changes.
var versions = map[string]string{"chromium": "LOCKBENCH_CHROMIUM"}

// Have reports whether a part is there. It returns an error if a required part is missing.
func Have(part string) (bool, error) {
	_ = os.Getenv(cmp.Or(versions[part], now)) // makes a cached test result depend on it
	_, err := exec.LookPath(commands[part])
	if probe, ok := probes[part]; ok && err == nil {
		var said []byte
		if said, err = exec.Command(probe[0], probe[1:]...).CombinedOutput(); err != nil {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(said)))
		}
	}
	if err == nil {
		return true, nil
	}
	if Required(part) {
		return false, err
	}
	return false, nil
}

// Required reports whether LOCKBENCH_REQUIRE names a part. The part "adapters" has no command of
// its own: it means every adapter with its toolchain.
func Required(part string) bool {
	return slices.Contains(strings.Split(os.Getenv("LOCKBENCH_REQUIRE"), ","), part)
}

// Part skips or fails the test if a part is missing.
func Part(t testing.TB, part string) {
	t.Helper()
	ok, err := Have(part)
	if err != nil {
		t.Fatalf("LOCKBENCH_REQUIRE asks for %s: %v", part, err)
	}
	if !ok {
		t.Skipf("needs %s", commands[part])
	}
}

// Soak reports whether tests run with their full numbers.
func Soak() bool { return os.Getenv("LOCKBENCH_SOAK") != "" }

// Commit returns the hash of the current commit. Tests use it to draw another sample for each
// commit. It returns "" if git fails, and then the sample is always the same.
func Commit() string {
	out, _ := exec.Command("git", "rev-parse", "HEAD").Output()
	return string(out)
}

// Large returns the size of a test's input: the small one with -short, and with the race detector,
// which makes everything some six times slower and sees enough in it. `make test` runs the packages
// of LARGE in the Makefile a second time, without the detector.
func Large(large, small int) int {
	if Race || testing.Short() {
		return small
	}
	return large
}

// SkipRace skips a test with -short and with the race detector, because the test is not about
// goroutines. Other tests run its concurrent code with the detector.
func SkipRace(t testing.TB) {
	t.Helper()
	switch {
	case Race:
		t.Skip("it is run without the race detector")
	case testing.Short():
		t.Skip("it takes long")
	}
}

// SideBySide lets n parallel tests run at a time on a machine with fewer cores, unless -parallel is
// given, because the tests mostly wait. Call it in TestMain. More tests would disturb the times of
// tests with real servers.
func SideBySide(n int) {
	_ = flag.Set("test.parallel", strconv.Itoa(max(n, runtime.GOMAXPROCS(0))))
}

// running is a lock that Run holds for writing if its function must be alone.
var running sync.RWMutex

// Run calls f, which a stall of the machine may disturb. If alone is true, it waits until no other
// call of Run in this process is under way, and lets none begin.
func Run(alone bool, f func()) {
	lock, unlock := running.RLock, running.RUnlock
	if alone {
		lock, unlock = running.Lock, running.Unlock
	}
	lock()
	defer unlock()
	f()
}

// RacePlanted is the environment variable that names the part of a test binary with a data race.
const RacePlanted = "LOCKBENCH_PLANT_RACE"

// PlantRace has a data race if RacePlanted names this part.
func PlantRace(part string) {
	if os.Getenv(RacePlanted) != part {
		return
	}
	n, done := 0, make(chan bool)
	go func() {
		n++
		close(done)
	}()
	n++
	<-done
}
