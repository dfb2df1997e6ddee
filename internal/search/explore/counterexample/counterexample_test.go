package counterexample

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

var update = flag.Bool("update", false, "write the golden files again")

// sample is a counterexample with a step of each kind and with awkward words.
func sample(t testing.TB) *Counterexample {
	t.Helper()
	p, err := harness.NewPlan(harness.RunOptions{Environment: "sim", Impl: "token-lua",
		Nemesis: "failover",
		Clients: 2, TTL: time.Second, Seed: 1<<63 + 5})
	if err != nil {
		t.Fatal(err)
	}
	ms := func(n int) history.Duration { return history.Duration(time.Duration(n) * time.Millisecond) }
	return &Counterexample{
		Format: Format, Schedule: Timed, Plan: p, Deviations: map[string]int{"c0>n0.3": 2,
			"c1>n0 reply.12": 1, "c1>n0 reply.9": 3},
		Steps: []Step{
			{At: ms(1), Kind: Mark, N: 1, Phase: Acquire},
			{At: ms(1), Kind: Send, Seq: 1, Node: "n0",
				Command: Render([]string{"SET", "lock:0", "a b\n\"c\" # {x: y}", "PX", "1000", "NX"})},
			{At: ms(2), Kind: Exec, Seq: 1, Node: "n0", Command: Render([]string{"EVAL", "return 1\nelse",
				"1", "lock:0"}), Reply: "OK"},
			{At: ms(3), Kind: Recv, Client: 1, Seq: 1, Node: "n0", Command: "GET lock:0",
				Err: "i/o timeout", Loss: history.TimedOut},
			{At: ms(3), Kind: Mark, Client: 1, N: 1, Phase: Refused, Reply: "held", CalledOff: true},
			{At: ms(4), Kind: Fault, Fault: &nemesis.Step{Do: nemesis.ClientClock, Target: "c1",
				Offset: ms(2500), Rate: 0.5}},
		},
		Verdict: checker.Property{
			Property: "S", Verdict: checker.Violated, Class: checker.LostByServer,
			Explanation: "Client 0 was granted lock 0 by n0 at 0.061 s, client 1 by n1 at 0.070 s.",
			Witness: &checker.Witness{Holds: []checker.Hold{{Process: 1, N: 2, From: 61_000_000,
				To: 9_007_199_254_740_993}}},
		},
	}
}

func text(t testing.TB, c *Counterexample) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGolden pins the file, and wants back what was written.
func TestGolden(t *testing.T) {
	c := sample(t)
	got := text(t, c)
	const name = "testdata/sample.yaml"
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
	back, err := Read(strings.NewReader(got))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, back); diff != "" {
		t.Error(diff)
	}
}

// TestWhatIsWrittenCanBeRead: the file of a client that tries again without a pause has some
// megabytes. A file that would be too long to be read is not written.
func TestWhatIsWrittenCanBeRead(t *testing.T) {
	c := sample(t)
	c.Steps[2].Reply = strings.Repeat("x", 8<<20)
	if _, err := Read(strings.NewReader(text(t, c))); err != nil {
		t.Error(err)
	}
	for _, s := range [][]Step{make([]Step, maxSteps+1), {{Reply: strings.Repeat("x", maxFile)}}} {
		c.Steps = s
		var b bytes.Buffer
		if err := c.Write(&b); err == nil || b.Len() > 0 {
			t.Errorf("%d bytes of %d steps are written: %v", b.Len(), len(s), err)
		}
	}
}

// TestBadFiles wants one line that says what is wrong, and where.
func TestBadFiles(t *testing.T) {
	good := text(t, sample(t))
	replace := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the sample has no %q", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	for _, c := range []struct{ name, file, want string }{
		{"empty", "  \n", "empty"},
		{"no YAML", "format: [1", "line 1"},
		{"another document", "name: x\n", "line 1: unknown field"},
		{"truncated", good[:strings.Index(good, "steps:")], "no steps"},
		{"cut in a step", good[:strings.Index(good, "kind: send")], "line "},
		{"a later format", replace("format: 3", "format: 7"),
			"it has format 7; this lockbench reads format 3"},
		{"an older format", replace("format: 3", "format: 1"),
			"it has format 1; this lockbench reads format 3"},
		{"no format", replace("format: 3\n", ""), "it has no format; this lockbench reads format 3"},
		{"an older plan", replace("format: 2", "format: 1"),
			"it has format 1; this lockbench reads format 2"},
		{"unknown schedule", replace("schedule: timed", "schedule: x"), `schedule "x"`},
		{"unknown lock", replace("impl: token-lua", "impl: tokenlua"), `unknown lock "tokenlua"`},
		{"misspelt in the plan", replace("  clients: 2", "  cleints: 2"),
			`line 19: unknown field "cleints"`},
		{"misspelt in a step", replace("seq: 1", "sqe: 1"), `unknown field "sqe"`},
		{"no number", replace("clients: 2", "clients: two"), "line "},
		{"many clients", replace("clients: 2", "clients: 2000000"), "--clients is 2000000"},
		{"a long time", replace("ttl: 1s", "ttl: 100h"), "more than a day"},
		{"a bad time", replace("at: 1ms", "at: soon"), "line "},
		{"an absurd answer", replace(`"c0>n0.3": 2`, `"c0>n0.3": -2`), `deviation "c0>n0.3" is -2`},
		{"a client that is not", replace("client: 1", "client: 9"), "client 9 does not exist"},
		{"backwards", replace("at: 4ms", "at: 1ms"), "before the one in front"},
		{"an unknown kind", replace("kind: exec", "kind: exce"), `kind "exce"`},
		{"no verdict", good[:strings.Index(good, "verdict:")], "verdict"},
		{"two documents", good + "\n---\n" + good, ""},
		{"an unknown property", replace("property: S", "property: Q"), `unknown property "Q"`},
	} {
		got, err := Read(strings.NewReader(c.file))
		if err == nil {
			if c.want != "" {
				t.Errorf("%s: read as %+v", c.name, got)
			}
			continue
		}
		if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q; want %q in one line", c.name, err, c.want)
		}
	}
}

// FuzzRead wants an error or a counterexample that survives being written and read.
func FuzzRead(f *testing.F) {
	f.Add(text(f, sample(f)))
	f.Add("format: 3\nsteps:\n  - {at: 1ms}\n")
	f.Fuzz(func(t *testing.T, file string) {
		c, err := Read(strings.NewReader(file))
		if err != nil {
			return
		}
		again, err := Read(strings.NewReader(text(t, c)))
		if err != nil {
			t.Fatalf("%v\n%s", err, text(t, c))
		}
		if diff := cmp.Diff(c, again); diff != "" {
			t.Error(diff)
		}
	})
}
