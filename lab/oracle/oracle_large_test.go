package oracle

import (
	"bytes"
	"context"
	"errors"
	"hash/fnv"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/base/pool"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/history"
)

// lineVariable names one run to repeat, as the sample prints it.
const lineVariable = "LOCKBENCH_ORACLE"

// TestSample compares the verdicts of drawn runs with what the servers did. LOCKBENCH_SOAK=1 draws
// 100,000, others with each commit; LOCKBENCH_ORACLE=LINE repeats one.
func TestSample(t *testing.T) {
	if text := os.Getenv(lineVariable); text != "" {
		repeat(t, text)
		return
	}
	runs, from := testenv.Large(400, 20), uint64(0)
	if os.Getenv("LOCKBENCH_SOAK") != "" {
		runs, from = 100_000, seedOf(testenv.Commit())
	}
	seeds := func(yield func(uint64) bool) {
		for i := range runs {
			if !yield(from + uint64(i)) {
				return
			}
		}
	}
	tally := NewTally(3)
	pool.Each(context.Background(), runtime.GOMAXPROCS(0), seeds, func(seed uint64) {
		l := Draw(seed, "")
		o, err := Run(context.Background(), l)
		tally.Add(l, o, err)
	})
	t.Log(tally)
	for _, d := range tally.Differences() {
		t.Errorf("%s\nrepeat it with %s='%s' go test -v -run TestSample ./lab/oracle", d,
			lineVariable, tally.Lines(d)[0])
	}
}

// settled are runs in which several orders of the commands seem possible at first.
var settled = []string{"setnx-del-expired/counter/message/741114",
	"setnx-del-expired nil-retry/mutex/busy/410585", "setnx-del-expired/mutex/partition/95957",
	"redlock per call/counter/partition/205742", "token-lua constant/longwork/clock-server/95863",
	"setpx-del/longwork/random/600496", "token-lua constant/counter/clock-server/658675",
	"setnx-del-expired/longwork/late/334650", "token-lua constant/mutex/overrun/630731",
	"getset-redispy/mutex/node-pause/2642", "redisson-multi/reentrant/partition/181990",
	"redisson-fenced fixed lease/reentrant/node-pause/160095",
	"getset-java/counter/clock-client/332090", "redisson-multi/reentrant/late/610587",
	"redisson watchdog/reentrant/busy/283849", "redisson-multi/reentrant/random/993754",
	"token-lua constant/longwork/random/759328", "setnx-del-expired/mutex/node-pause/893149",
	"redlock per call/mutex/random/412658", "getset-java/counter/late/826110",
	"redisson watchdog/mutex/restart/335993",
	"redisson-spin/longwork/random/26682", "redisson watchdog/reentrant/clock-server/424505",
	"redisson-fenced fixed lease/reentrant/clock-server/636779",
	"redisson watchdog/reentrant/random/133980", "redisson watchdog/reentrant/clock-server/6171",
	"redisson-multi/reentrant/clock-server/854535",
	"redisson-fenced fixed lease/reentrant/random/659760",
	"setnx-del-expired nil-retry/longwork/random/786646",
	"token-lua constant/longwork/random/598869",
	"setnx-del-expired nil-retry/mutex/failover/882619", "redlock per attempt/longwork/none/362725",
	"redisson-multi/reentrant/late/890947", "setnx-expire/mutex/random/695427",
	"setnx-expire-lua/counter/flush/284523", "getset-java/counter/flush/749856",
	"redisson-fenced fixed lease/counter/flush/57609",
	"setnx-del-expired nil-retry/mutex/failover/814313", "getset-java/mutex/disconnect/430784",
	"redisson watchdog/reentrant/flush/498725",
	"redisson-fenced fixed lease/reentrant/random/903309", "setnx-expire/mutex/clock-server/789638",
	"redisson fixed lease/counter/clock-server/765838"}

// TestOrderOfCommands: no statement differs where the order of commands follows from their replies.
func TestOrderOfCommands(t *testing.T) {
	for _, line := range settled {
		l, err := ParseLine(line)
		if err != nil {
			t.Fatal(err)
		}
		if o, err := Run(context.Background(), l); err != nil || len(o.Differences) > 0 {
			t.Errorf("%s: %v %v", line, err, o)
		}
	}
}

func repeat(t *testing.T, text string) {
	t.Helper()
	l, err := ParseLine(text)
	if err != nil {
		t.Fatal(err)
	}
	o, err := Run(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(o.Tell())
	if len(o.Differences) > 0 {
		t.Error(o.Differences)
	}
}

// seedOf is the first seed of a commit's sample.
func seedOf(commit string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(commit))
	return h.Sum64() % 1e9
}

// planted are lines whose verdict tells of a deletion, an expiry and a loss.
var planted = []struct{ line, property, class string }{
	{"setpx-del/mutex/pause/4", verdict.OwnerRelease, verdict.ReleasedByNonOwner},
	{"token-lua/mutex/overrun/1", verdict.MutualExclusion, verdict.LeaseOverrun},
	{"token-lua/mutex/failover/1", verdict.LeaseExclusion, verdict.LostByServer},
}

// TestAWrongStatementIsFound: each statement of a verdict that is true is no difference, and is one
// when it is made wrong.
func TestAWrongStatementIsFound(t *testing.T) {
	for _, c := range planted {
		o, p := find(t, c.line, c.property, c.class)
		if len(o.Differences) > 0 {
			t.Errorf("%s: %v", c.line, o.Differences)
		}
		ways := spoilt(p)
		if o.Truth.timedOut() {
			delete(ways, stall) // it may be true
		}
		for name, spoil := range ways {
			old := *p
			w := *p.Witness
			w.Commands, w.Holds = slices.Clone(w.Commands), slices.Clone(w.Holds)
			p.Witness = &w
			if spoil(p) && len(o.Truth.Compare(o.Verdict)) == 0 {
				t.Errorf("%s: not noticed: %s", c.line, name)
			}
			*p = old
		}
	}
}

// find runs seeds of a line until a verdict has what is looked for.
func find(t *testing.T, line, property, class string) (*Outcome, *verdict.Property) {
	t.Helper()
	l, err := ParseLine(line)
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		o, err := Run(context.Background(), l)
		if err != nil {
			t.Fatal(err)
		}
		for i := range o.Verdict.Properties {
			if p := &o.Verdict.Properties[i]; p.Property == property && p.Class == class {
				return o, p
			}
		}
		l.Seed++
	}
	t.Fatalf("%s never violates %s: %s", line, property, class)
	return nil, nil
}

const stall = "a stall"

// spoilt are ways to make a statement wrong; false: it has none of the kind.
func spoilt(p *verdict.Property) map[string]func(*verdict.Property) bool {
	ways := map[string]func(*verdict.Property) bool{
		stall:          func(p *verdict.Property) bool { p.Stalled = true; return true },
		"no such hold": func(p *verdict.Property) bool { p.Witness.Holds[0].N += 1000; return true },
		"a step that no server did": func(p *verdict.Property) bool {
			i := slices.IndexFunc(p.Witness.Commands, func(m verdict.WitnessCommand) bool {
				return m.Kind == verdict.Grant
			})
			if i >= 0 {
				p.Witness.Commands[i].Seq += 1000
			}
			return i >= 0
		},
		"the deletion is missing": func(p *verdict.Property) bool {
			n := len(p.Witness.Commands)
			p.Witness.Commands = slices.DeleteFunc(p.Witness.Commands, func(m verdict.WitnessCommand) bool {
				return m.Kind.Deletes()
			})
			return p.Property == verdict.OwnerRelease && len(p.Witness.Commands) < n
		},
		"a grant is called a deletion": func(p *verdict.Property) bool {
			for i := range p.Witness.Commands {
				p.Witness.Commands[i].Kind = verdict.ForeignDelete
			}
			return len(p.Witness.Commands) > 0 && p.Property == verdict.OwnerRelease
		},
	}
	if p.Property == verdict.OwnerRelease {
		return ways // its class says no more than its steps
	}
	for _, class := range []string{verdict.LeaseOverrun, verdict.LostByServer, verdict.Clock,
		verdict.ReleasedByNonOwner, verdict.DoubleGrant} {
		if class != p.Class {
			ways["class "+class] = func(p *verdict.Property) bool { p.Class = class; return true }
		}
	}
	return ways
}

// TestTheRecordChangesNothing: a run whose servers are recorded has the same history, to the byte.
func TestTheRecordChangesNothing(t *testing.T) {
	for seed := range uint64(testenv.Large(60, 10)) {
		l := Draw(seed, "")
		plain, recorded := documents(t, l, nil), documents(t, l, &Recorder{})
		for i := range max(len(plain), len(recorded)) {
			if was, is := lineOf(plain, i), lineOf(recorded, i); was != is {
				t.Errorf("%s is another run when it is recorded, from line %d:\n- %s\n+ %s", l, i, was, is)
				break
			}
		}
	}
}

// documents returns what a run writes, or why it is none.
func documents(t *testing.T, l Line, rec *Recorder) []string {
	job, _, err := jobOf(l)
	if err != nil {
		return []string{err.Error()}
	}
	if rec != nil {
		rec.Attach(&job)
	}
	run, err := job.Run(context.Background())
	if err != nil {
		return []string{err.Error()}
	}
	var b bytes.Buffer
	for _, e := range run.History.Events {
		err = errors.Join(err, history.WriteDocument(&b, e))
	}
	for _, c := range run.Trace {
		err = errors.Join(err, history.WriteDocument(&b, c))
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(b.String(), "\n")
}

func lineOf(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}
