//go:build linux

package runner_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/harness"
)

// newServer has DELIFEQ. It is run where a program of this name is in the path, as for the columns
// of lab/results/containers.md.
const newServer = "valkey-9.1-server"

// comparing are key cells of token-ifeq, which are the same on every server and with every variant:
// whether a command or a script compares makes no difference to a lock.
var comparing = []struct{ nemesis, workload, want string }{
	{"none", "counter", "+S +D +O +L +U"},
	{"pause", "mutex", "S N +L +O"},
	{"crash", "mutex", "+S +D"},
	{"late", "mutex", "+S +O +L"}, // the release comes when another is inside, and compares
	{"late:reply", "mutex", "S +L +O"},
	{"overrun", "mutex", "S +L +O"},
	{"failover:after", "mutex", "S L +O"},
	{"restart", "mutex", "S L +O"},
	{"message:duplicate", "mutex", "+S +O"},
}

// TestScriptAndCommandCompareAlike runs the script on the server that is installed, and both on the
// newer one.
func TestScriptAndCommandCompareAlike(t *testing.T) {
	testenv.SkipRace(t)
	testenv.Part(t, "redis")
	for _, on := range []struct{ variant, server string }{
		{"lua", ""}, {"lua", newServer}, {"delifeq", newServer},
	} {
		for _, c := range comparing {
			t.Run(strings.TrimSpace(on.variant+" "+c.nemesis+" "+on.server), func(t *testing.T) {
				t.Parallel()
				setUp(t, "token-ifeq", on.variant)
				o := harness.RunOptions{Adapter: "token-ifeq", Variant: on.variant, Nemesis: c.nemesis,
					Workload: c.workload, TTL: 2 * time.Second, Thorough: true, Seed: 1}
				o.Place.Server = has(t, on.server)
				demandLetters(t, o, strings.Fields(c.want))
			})
		}
	}
}

// has is the path of a server; the test is left out where there is none. "": the installed one.
func has(t *testing.T, name string) string {
	t.Helper()
	if name == "" {
		return ""
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip("needs ", name, " in the path")
	}
	return path
}

// TestALateExtensionBringsNothingBack asks a real server what traces take for granted (package
// trace): a key that is gone, or another's, stays so, and a life that is not named is for ever.
func TestALateExtensionBringsNothingBack(t *testing.T) {
	c := redis.NewClient(&redis.Options{Network: "unix", Addr: socketOf(t, has(t, newServer)),
		DisableIdentity: true})
	defer c.Close()
	for _, line := range strings.Split(strings.TrimSpace(`
		SET k mine PX 60000 = OK
		DELIFEQ k mine = 1
		SET k mine IFEQ mine PX 60000 = <nil>
		EXISTS k = 0
		SET k other = OK
		SET k mine IFEQ mine PX 60000 = <nil>
		DELIFEQ k mine = 0
		GET k = other
		PTTL k = -1
		SET k other IFEQ other EX 60 = OK
		TTL k = 60
		SET k other IFEQ other KEEPTTL = OK
		TTL k = 60
		SET k other IFEQ other = OK
		TTL k = -1`), "\n") {
		command, want, _ := strings.Cut(strings.TrimSpace(line), " = ")
		var words []any
		for w := range strings.FieldsSeq(command) {
			words = append(words, w)
		}
		got, err := c.Do(t.Context(), words...).Result()
		if err != nil && !errors.Is(err, redis.Nil) {
			t.Fatalf("%s: %v", command, err)
		}
		// a machine that stands still for some seconds leaves less of a minute
		left, isLeft := got.(int64)
		if said := fmt.Sprint(got); said != want && !(want == "60" && isLeft && left > 0) {
			t.Errorf("%s: %s, not %s", command, said, want)
		}
	}
}

// socketOf starts a server that listens to a file alone, until the test is over.
func socketOf(t *testing.T, path string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "lb-") // a name that fits into the address of a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	run := exec.Command(path, "--port", "0", "--unixsocket", socket, "--save", "", "--dir", dir)
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = run.Process.Kill(), run.Wait() })
	for range 3000 {
		if conn, err := net.Dial("unix", socket); err == nil {
			conn.Close()
			return socket
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the server does not come up")
	return ""
}
