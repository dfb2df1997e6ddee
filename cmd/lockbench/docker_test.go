package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lockbench/lockbench/internal/need"
)

// keyRows are a lock and a fault for each class of faults.
var keyRows = []struct{ class, impl, nemesis string }{
	{"no fault", "token-lua", "none"},
	{"failover", "token-lua", "failover"},
	{"failover, control", "token-lua", "failover:healthy"},
	{"failover by Sentinel", "token-lua", "failover-sentinel"},
	{"client paused", "token-lua", "pause"},
	{"client killed", "setnx", "crash"},
	{"partition", "setpx-del", "partition"},
	{"request lost", "setpx-del", "request-loss"},
	{"reply lost", "setpx-del", "reply-loss"},
	{"message late", "setpx-del", "late"},
	{"latency", "token-lua", "latency"},
	{"Redis restarts", "token-lua", "restart"},
	{"Redis restarts late", "token-lua", "restart-delayed"},
	{"Redis' clock", "token-lua", "clock-server"},
	{"client's clock", "getset", "clock-client"},
	{"Redis busy", "token-lua", "busy:stay"},
	{"Redis paused", "token-lua", "node-pause:stay"},
	{"one of five masters restarts", "redlock", "restart"},
	{"a minority of masters is lost", "redlock", "minority-loss"},
}

// keyTries is how often a row is run where a verdict is unknown or the worlds differ: a busy machine can spoil a run.
const keyTries = 3

// keyDocument has the verdicts of the rows. UPDATE=1 writes it anew.
const keyDocument = "../../docs/docker.md"

// TestContainersGiveTheVerdictsOfProcesses runs each key row in both worlds.
func TestContainersGiveTheVerdictsOfProcesses(t *testing.T) {
	need.Part(t, "redis")
	need.Part(t, "docker")
	lines, versions := make([]string, len(keyRows)), ""
	var mu sync.Mutex
	t.Run("rows", func(t *testing.T) {
		for i, row := range keyRows {
			t.Run(row.impl+" "+row.nemesis, func(t *testing.T) {
				t.Parallel()
				args := []string{"run", "--impl", row.impl, "--nemesis", row.nemesis, "--ttl", "1s"}
				var here, there string
				for try := range keyTries {
					seed := fmt.Sprint(try + 1)
					here, _ = letters(t, append(args, "--seed", seed, "--env", worldProcess))
					var found string
					there, found = letters(t, append(args, "--seed", seed, "--env", worldDocker))
					mu.Lock()
					versions = found
					mu.Unlock()
					if here == there && here != "unknown" {
						break
					}
				}
				if here != there || here == "unknown" {
					t.Errorf("as processes: %s; in containers: %s", here, there)
				}
				lines[i] = fmt.Sprintf("| %s | `lockbench %s --env docker` | %s | %s |", row.class, strings.Join(args, " "), here, there)
			})
		}
	})
	if !t.Failed() {
		compareTable(t, versions, lines)
	}
}

// letters runs lockbench and says which properties were violated, and the image that was used.
func letters(t *testing.T, args []string) (verdict, image string) {
	t.Helper()
	store := t.TempDir()
	var out, said bytes.Buffer
	Main(context.Background(), append(args, "--store", store, "--json"), &out, &said)
	var answer struct {
		Dir     string
		Verdict struct {
			Verdict    string
			Properties []struct{ Property, Verdict string }
		}
	}
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatalf("%v: %s", args, said.String())
	}
	head, _ := os.ReadFile(filepath.Join(answer.Dir, "history.jsonl"))
	head, _, _ = bytes.Cut(head, []byte("\n"))
	var h struct{ Versions map[string]string }
	_ = json.Unmarshal(head, &h)
	var violated []string
	for _, p := range answer.Verdict.Properties {
		if p.Verdict == "violated" {
			violated = append(violated, p.Property)
		}
	}
	name, _, _ := strings.Cut(h.Versions["image"], " ")
	switch {
	case len(violated) > 0:
		return strings.Join(violated, ", "), name + ", Redis " + h.Versions["redis"]
	case answer.Verdict.Verdict == "valid":
		return "valid", name + ", Redis " + h.Versions["redis"]
	}
	return "unknown", ""
}

// compareTable demands that the document has these verdicts.
func compareTable(t *testing.T, versions string, lines []string) {
	const begin, end = "<!-- key rows -->\n", "<!-- end of key rows -->\n"
	doc, err := os.ReadFile(keyDocument)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(doc), begin)
	table, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", keyDocument)
	}
	rows := "| fault | command | as processes | in containers |\n|---|---|---|---|\n" + strings.Join(lines, "\n") + "\n"
	if os.Getenv("UPDATE") != "" {
		now := before + begin + "Image " + versions + ". `valid`, or the properties that were violated.\n\n" + rows + end + after
		if err := os.WriteFile(keyDocument, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, l := range lines {
		if !strings.Contains(table, l) {
			t.Errorf("%s does not say\n%s\nUPDATE=1 go test -run Containers ./cmd/lockbench writes it", keyDocument, l)
		}
	}
}
