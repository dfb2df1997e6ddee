package system

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
)

// TestAKilledPostgresLeavesNoSharedMemory: Linux has 4,096 segments of it, and files in memory are
// gone only when the machine is.
func TestAKilledPostgresLeavesNoSharedMemory(t *testing.T) {
	testenv.Part(t, "postgres")
	kind, err := Find("postgres")
	if err != nil {
		t.Fatal(err)
	}
	folder, err := server.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	host, port := testenv.Address()
	c := server.NodeConfig{Name: "n0", Host: host, Port: port, Kind: kind,
		Dir: filepath.Join(folder.Path, "n0"), Log: filepath.Join(t.TempDir(), "log")}
	files := dynamic(t)
	n, err := server.StartNode(c)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Kill()
	if err := n.Ready(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(c.Dir, "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(strings.Split(string(text), "\n")[6])
	if !slices.Contains(segments(t), words[1]) {
		t.Fatalf("there is no segment %s", words[1])
	}
	n.Kill()
	if slices.Contains(segments(t), words[1]) {
		t.Errorf("the segment %s is left", words[1])
	}
	for _, f := range dynamic(t) {
		if !slices.Contains(files, f) {
			t.Errorf("%s is left", f)
		}
	}
}

// segments are the numbers of all segments that the kernel has.
func segments(t *testing.T) (all []string) {
	t.Helper()
	text, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		all = append(all, strings.Fields(line)[1])
	}
	return all
}

// dynamic are PostgreSQL's files in memory.
func dynamic(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("/dev/shm/PostgreSQL.*")
	if err != nil {
		t.Fatal(err)
	}
	return all
}
