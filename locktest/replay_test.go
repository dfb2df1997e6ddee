package locktest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestReplayed searches the lock named by LOCKTEST_REPLAYED; it is run by
// TestAReplayWithoutAGrantFails.
func TestReplayed(t *testing.T) {
	locks := map[string]Lock{"blind": blind("%"), "mended": keyed("%", ""), "never": never()}
	lock, ok := locks[os.Getenv("LOCKTEST_REPLAYED")]
	if !ok {
		t.Skip("it is run by TestAReplayWithoutAGrantFails")
	}
	lock.Name = "replayed"
	Explore(t, lock, Options{Faults: []string{"none"}, Seeds: 40, For: time.Hour,
		Dir: os.Getenv("LOCKTEST_DIR"), Properties: []string{"O"}})
}

// TestAReplayWithoutAGrantFails: a violation that does not occur again is mended only if a client
// was granted the lock.
func TestAReplayWithoutAGrantFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(lock, file string) (string, error) {
		c := exec.Command(os.Args[0], "-test.run", "^TestReplayed$", "-test.v")
		c.Env = append(os.Environ(), "LOCKTEST_REPLAYED="+lock, "LOCKTEST_DIR="+dir,
			replayVariable+"="+file)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	out, _ := run("blind", "")
	files, err := filepath.Glob(filepath.Join(dir, "counterexamples", "*.yaml"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v:\n%s", files, err, out)
	}
	for lock, says := range map[string]string{"blind": "O is violated again",
		"mended": "O is not violated any more", "never": "O was not tried: no client was granted"} {
		out, err := run(lock, files[0])
		if (err == nil) != (lock == "mended") || !strings.Contains(out, says) {
			t.Errorf("%s: %v, want %q:\n%s", lock, err, says, out)
		}
	}
}
