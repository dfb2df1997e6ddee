package impls

import (
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockbench/lockbench/internal/history"
)

func TestFindSuggestsTheNearestName(t *testing.T) {
	for wrong, want := range map[string]string{"getsett": `"getset"`, "redison": `"redisson"`,
		"token": `"token-lua"`, "setnx-del": `"setnx-`} {
		_, err := Find(wrong)
		if err == nil || !strings.Contains(err.Error(), "did you mean "+want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("Find(%q): %v", wrong, err)
		}
	}
	if _, err := Find("xyzxyzxyz"); err == nil || strings.Contains(err.Error(), "did you mean") {
		t.Errorf("a name like no other: %v", err)
	}
}

// TestTableIsComplete asks of every row what its readers need.
func TestTableIsComplete(t *testing.T) {
	for _, e := range All() {
		found, err := Find(e.Name)
		if err != nil || found.Name != e.Name {
			t.Errorf("Find(%q) = %q, %v", e.Name, found.Name, err)
		}
		if e.Line == "" || e.Document == "" || e.Topology == "" || e.Poll == 0 ||
			strings.Contains(e.Line, "\n") {
			t.Errorf("%s: a field is missing", e.Name)
		}
		if l, err := e.New(setup(e, nil)); err != nil || l == nil {
			t.Errorf("%s with its defaults: %v", e.Name, err)
		} else if _, extends := l.(Extender); extends != e.Extends {
			t.Errorf("%s: Extends is %v, and it is an Extender: %v", e.Name, e.Extends, extends)
		}
	}
}

func TestDefaultsScaleThePoll(t *testing.T) {
	e, _ := Find("getset")
	if o := e.Defaults(2 * time.Second); o.Poll != 66666666*time.Nanosecond || o.TTL != 2*time.Second {
		t.Errorf("getset at 2 s: %+v", o)
	}
	if o := e.Defaults(0); o.Poll != 100*time.Millisecond || o.TTL != 3*time.Second {
		t.Errorf("getset as documented: %+v", o)
	}
	e, _ = Find("token-lua")
	if o := e.Defaults(100 * time.Millisecond); o.Poll != minPoll || o.Variant != "attempt" {
		t.Errorf("token-lua at 100 ms: %+v", o)
	}
	e, _ = Find("getset-java")
	if o := e.Defaults(2 * time.Second); o.TTL != 4*time.Millisecond ||
		o.Poll != 100*time.Millisecond {
		t.Errorf("getset-java has its own times: %+v", o)
	}
}

// TestBadSetups asks for one line that says what to do.
func TestBadSetups(t *testing.T) {
	for name, c := range map[string]struct {
		lock, says string
		change     func(*Setup)
	}{
		"no lease": {"token-lua", "above zero", func(s *Setup) { s.Options.TTL = 0 }},
		"negative lease": {"redisson", "above zero", func(s *Setup) {
			s.Options.TTL = -time.Second
		}},
		"lease below a ms": {"token-lua", "1ms or more", func(s *Setup) {
			s.Options.TTL = time.Microsecond
		}},
		"two keys": {"getset", "redisson-multi", func(s *Setup) {
			s.Keys = []string{"a", "b"}
		}},
		"no key": {"getset", "--keys", func(s *Setup) { s.Keys = nil }},
		"one master": {"redlock", "--masters 3 or more", func(s *Setup) {
			s.Redis = s.Redis[:1]
		}},
		"three masters": {"getset", "leave --masters out", func(s *Setup) {
			s.Redis = make([]redis.UniversalClient, 3)
		}},
		"unknown variant": {"token-lua", `did you mean "constant"`, func(s *Setup) {
			s.Options.Variant = "constat"
		}},
		"variant of none":  {"setnx", "no variants", func(s *Setup) { s.Options.Variant = "x" }},
		"watchdog of none": {"getset", "--watchdog", func(s *Setup) { s.Options.NoWatchdog = true }},
		"renewals of none": {"getset", "--max-renewals", func(s *Setup) { s.Options.MaxRenewals = 1 }},
		"node time-out": {"getset", "redlock", func(s *Setup) {
			s.Options.NodeTimeout = history.Duration(time.Second)
		}},
		"replicas of no server": {"none", "--wait-replicas", func(s *Setup) {
			s.Options.WaitReplicas = 1
		}},
		"negative poll": {"getset", "negative", func(s *Setup) { s.Options.Poll = -1 }},
		"sleep above timeout": {"getset-redispy", "less than", func(s *Setup) {
			s.Options.Poll = time.Minute
		}},
	} {
		e, err := Find(c.lock)
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.New(setup(e, c.change))
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; it should say %q", name, err, c.says)
		}
	}
}

func TestRuns(t *testing.T) {
	for _, e := range All() {
		for _, topology := range []string{"single", "failover", "sentinel", "independent"} {
			if err := e.Runs(topology); (err == nil) != ((topology == "independent") ==
				(e.Name == "redlock")) {
				t.Errorf("%s on %s: %v", e.Name, topology, err)
			}
		}
	}
}

// setup is a setup with the lock's defaults and no connection, changed by change.
func setup(e Entry, change func(*Setup)) Setup {
	s := Setup{Env: bare{}, Keys: []string{"k"}, Redis: make([]redis.UniversalClient, 1),
		Options: e.Defaults(2 * time.Second)}
	if e.Topology == Independent {
		s.Redis = make([]redis.UniversalClient, 5)
	}
	if change != nil {
		change(&s)
	}
	return s
}

// bare is an Env that only makes owner values.
type bare struct{ Env }

func (bare) Token() string { return "token" }

// TestTheNameOfARow: a row of the matrix is no lock, and the error says how to run it.
func TestTheNameOfARow(t *testing.T) {
	for name, flags := range map[string]string{
		"setnx-del-expired nil-retry": `--impl setnx-del-expired --variant "nil-retry"`,
		"redisson fixed lease":        "--impl redisson --watchdog=false",
		"redlock per attempt":         "--impl redlock",
	} {
		if _, err := Find(name); err == nil || !strings.HasSuffix(err.Error(), flags) {
			t.Errorf("%s: %v, want %s", name, err, flags)
		}
	}
}
