package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/run/runner"
)

// TestFaultsWithADaemonElsewhere runs one fault of each kind with a daemon that may be on another
// machine: faults of links between servers, links of clients, servers, their clocks, and clients.
// The verdicts are the same as with processes, and lockbench has connections on 127.0.0.1 only,
// where the daemon publishes the ports of its containers.
func TestFaultsWithADaemonElsewhere(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	testenv.Part(t, "docker")
	host := testenv.Elsewhere(t)
	table, err := os.ReadFile(keyTable)
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range []string{
		"failover", "failover by Sentinel", "partition", "message late", "client paused",
		"Redis' clock forward",
	} {
		row := slices.IndexFunc(keyRows, func(r struct{ class, impl, nemesis string }) bool {
			return r.class == class
		})
		t.Run(class, func(t *testing.T) {
			t.Parallel()
			const asProcesses = 2 // the column
			want, got := knownCells(table, row)[asProcesses], ""
			for try := 0; try < keyTries && got != want; try++ {
				testenv.Run(try >= triesBeside, func() {
					got = runElsewhere(t, host, ofTry(keyArgs(row), try))
				})
			}
			if got != want {
				t.Errorf("the verdict is %s, and as processes %s", got, want)
			}
		})
	}
}

// runElsewhere runs lockbench with this daemon, looks at its connections all the while, and returns
// the verdict.
func runElsewhere(t *testing.T, host string, args []string) string {
	t.Helper()
	tmp := t.TempDir()
	c := command(t, tmp, append(args, "--env", runner.Docker, "--json", "--store",
		filepath.Join(tmp, "store"))...)
	c.Env = append(c.Env, "DOCKER_HOST="+host)
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	over, seen := make(chan struct{}), map[string]bool{}
	go func() {
		_ = c.Wait()
		close(over)
	}()
	for running := true; running; {
		for _, a := range addresses(tmp) {
			seen[a] = true
		}
		select {
		case <-over:
			running = false
		case <-time.After(500 * time.Millisecond):
		}
	}
	if !seen["127.0.0.1"] || len(seen) > 1 {
		t.Errorf("connections and listeners are on %v; it must be 127.0.0.1 and nothing else", seen)
	}
	verdict, versions := verdictOf(t, out.Bytes(), said.String())
	if versions["network"] != "bridge" || versions["proxies"] != "container" {
		t.Errorf("the report names %v", versions)
	}
	return verdict
}

// addresses are both ends of each TCP socket of a run and of the processes that it started here.
func addresses(tmp string) (all []string) {
	owned := map[string]bool{}
	for _, p := range processes(tmp) {
		pid, _, _ := strings.Cut(p, " ")
		fds, _ := filepath.Glob("/proc/" + pid + "/fd/*")
		for _, fd := range fds {
			if to, _ := os.Readlink(fd); strings.HasPrefix(to, "socket:[") {
				owned[strings.Trim(to, "socket:[]")] = true
			}
		}
	}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		f, err := os.Open(table)
		if err != nil {
			continue
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			w := strings.Fields(
				lines.Text()) // proc_net_tcp: local and remote address as hex, …, the inode
			if len(w) < 10 || !owned[w[9]] {
				continue
			}
			all = append(all, address(w[1]))
			if remote := address(w[2]); remote != "0.0.0.0" && remote != "::" { // of a listener
				all = append(all, remote)
			}
		}
		f.Close()
	}
	return all
}

// address reads "0100007F:1F90": four bytes at a time, the last first.
func address(word string) string {
	text, _, _ := strings.Cut(word, ":")
	b, err := hex.DecodeString(text)
	if err != nil || len(b)%4 != 0 {
		return word
	}
	for i := 0; i < len(b); i += 4 {
		slices.Reverse(b[i : i+4])
	}
	a, _ := netip.AddrFromSlice(b)
	return a.Unmap().String()
}
