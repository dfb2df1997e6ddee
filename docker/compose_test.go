package docker

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// compose runs docker compose, as a plug-in or the program of its own, whichever is there.
func compose(t *testing.T, profile string, args ...string) {
	t.Helper()
	line := append([]string{"docker-compose", "-f", "compose.yaml", "-p", "lockbenchtest", "--profile",
		profile}, args...)
	if exec.Command("docker", "compose", "version").Run() == nil {
		line = append([]string{"docker", "compose"}, line[1:]...)
	}
	if out, err := exec.Command(line[0], line[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(line, " "), err, out)
	}
}

// TestTheComposeFile brings up each topology of compose.yaml and asks it who it is.
func TestTheComposeFile(t *testing.T) {
	t.Parallel()
	testenv.Part(t, "docker")
	if exec.Command("docker", "compose", "version").Run() != nil {
		testenv.Part(t, "compose")
	}
	for _, row := range []struct{ profile, addr, command, says string }{
		{"failover", "127.0.0.1:7100", "info replication", "connected_slaves:1"},
		{"sentinel", "127.0.0.1:7200", "info sentinel", "slaves=2,sentinels=3"},
		{"independent", "127.0.0.1:7302", "info replication", "connected_slaves:0"},
	} {
		t.Run(row.profile, func(t *testing.T) {
			t.Cleanup(func() { compose(t, row.profile, "down", "-t", "0") })
			compose(t, row.profile, "up", "-d")
			var words []any
			for _, w := range strings.Fields(row.command) {
				words = append(words, w)
			}
			var said string
			var err error
			for limit := time.Now().Add(30 * time.Second); time.Now().Before(limit); time.Sleep(
				50 * time.Millisecond) {
				if said, err = ask(row.addr, time.Second, words...); err == nil &&
					strings.Contains(said, row.says) {
					return
				}
			}
			t.Errorf("%s %s says %v %s; it must name %s", row.addr, row.command, err, said, row.says)
		})
	}
}
