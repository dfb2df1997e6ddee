package nemesis

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var params = Params{TTL: 500 * time.Millisecond, Hold: 80 * time.Millisecond,
	Poll: 5 * time.Millisecond, Clients: 4, Nodes: 1, Timeout: 250 * time.Millisecond}

// everything calls f for every fault with every variant, ready for one Redis, for three masters, or
// for both.
func everything(t *testing.T, f func(name string, s Scenario)) {
	t.Helper()
	for _, e := range All() {
		variants := e.Variants
		if len(variants) == 0 {
			variants = []Variant{{}}
		}
		for _, v := range variants {
			v := map[string]string{"N": "2", "DURATION": "30ms"}[v.Name] + strings.NewReplacer("N", "",
				"DURATION", "").Replace(v.Name)
			for _, nodes := range []int{1, 3} {
				p := params
				p.Nodes = nodes
				s, err := e.Scenario(v, p)
				related := slices.Contains([]string{Sentinel, Cluster, Ensemble}, e.Needs)
				if (err != nil) != (related && nodes > 1 || e.Needs == Independent && nodes == 1) {
					t.Errorf("%s:%s on %d nodes: %v", e.Name, v, nodes, err)
				}
				if err == nil {
					f(e.Name+":"+v, s)
				}
			}
		}
	}
}

func TestScenariosAreWellFormed(t *testing.T) {
	target := regexp.MustCompile(
		`^(|\*|[nr]\d|c\d|owner|thief|waiter|(c\d\+?|owner|waiter|n\d|s|\*)>([nr]\d|\*)|b>\*n\d\*)$`)
	everything(t, func(name string, s Scenario) {
		named := map[string]bool{}
		for i, step := range s.Steps {
			who, _, _ := strings.Cut(step.Target, ">")
			switch {
			case (step.Do == "") == (step.Await == nil):
				t.Errorf("%s step %d both does and waits, or neither: %v", name, i+1, step)
			case !target.MatchString(step.Target):
				t.Errorf("%s step %d has an odd target: %v", name, i+1, step)
			case (who == owner || who == "thief") && !named[who]:
				t.Errorf("%s step %d has a client whom no await has named: %v", name, i+1, step)
			case (step.Do == Wait || step.Do == Delay || step.Do == Stall) && step.For <= 0:
				t.Errorf("%s step %d lasts no time: %v", name, i+1, step)
			}
			if a := step.Await; a != nil {
				if (a.Phase == "") == (a.Command == "") || (a.Command == "") != (a.At == "") {
					t.Errorf("%s step %d awaits a phase and a command, or neither: %v", name, i+1, step)
				}
				if _, err := regexp.Compile(a.Command); err != nil {
					t.Errorf("%s step %d: %v", name, i+1, err)
				}
				named[a.As] = true
			}
		}
	})
}

// TestAGrantThatEndsAFaultLeavesItsLengthOpen: an optimistic lock lets others in at once, so that a
// fault which waits for another's grant may last a few milliseconds. Its texts promise no more.
func TestAGrantThatEndsAFaultLeavesItsLengthOpen(t *testing.T) {
	promise := regexp.MustCompile(`longer than|lease is over and`)
	everything(t, func(name string, s Scenario) {
		if !slices.ContainsFunc(s.Steps, func(step Step) bool {
			return step.Await != nil && step.Await.Client == "other" && step.Await.Phase == Granted
		}) {
			return
		}
		e, variant, _ := Find(name)
		texts := []string{e.When, e.Line, e.Lasts}
		for _, v := range e.Variants {
			if v.Name == variant {
				texts = append(texts, v.When, v.Line)
			}
		}
		for _, text := range texts {
			if promise.MatchString(text) {
				t.Errorf("%s ends with another's grant, and says %q", name, text)
			}
		}
	})
}

// TestWhatIsStoppedGoesOn looks whether every scenario lets go on whom it stopped, and undoes what
// it would otherwise leave for the end.
func TestWhatIsStoppedGoesOn(t *testing.T) {
	everything(t, func(name string, s Scenario) {
		stopped := map[string]int{}
		for i, step := range s.Steps {
			switch {
			case step.Await != nil && step.Await.As == "":
				stopped["whoever comes to the breakpoint"] = i + 1
			case step.Await != nil && !slices.Contains([]string{Sent, Lost, Released},
				step.Await.Phase) && step.Await.At != JustSent: // after a release it is outside
				stopped[step.Await.As] = i + 1
			case step.Do == Go && step.Target == "":
				delete(stopped, "whoever comes to the breakpoint")
			case step.Do == Go || step.Do == Crash:
				delete(stopped, step.Target)
			case step.Do == Pause || step.Do == PauseNode || step.Do == Busy || step.Do == Stall:
				stopped[step.Target] = i + 1
			case step.Do == Unpause || step.Do == ResumeNode || step.Do == Free:
				delete(stopped, step.Target)
			}
		}
		for who, i := range stopped {
			t.Errorf("%s step %d stops %s, and no step lets it go on (go, unpause, resume-node, free)",
				name, i, who)
		}
		if n := len(s.Steps); n > 0 && s.Steps[n-1].Await != nil {
			t.Errorf("%s leaves a client at a breakpoint", name)
		}
	})
}

// TestEveryFaultIsRefusedWithoutCapabilities also shows that Possible looks at every step.
func TestEveryFaultIsRefusedWithoutCapabilities(t *testing.T) {
	everything(t, func(name string, s Scenario) {
		acts := false
		for _, step := range s.Steps {
			if step.action().by.has != nil {
				acts = true
				if Apply(struct{}{}, step) == nil {
					t.Errorf("%s: an environment without capabilities did %v", name, step)
				}
			}
		}
		err := Possible(struct{}{}, s.Steps)
		if (err != nil) != acts {
			t.Errorf("%s: possible in an environment without capabilities: %v", name, err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "not possible in this environment, because ") {
			t.Errorf("%s: %v", name, err)
		}
	})
}

func TestFind(t *testing.T) {
	for spec, want := range map[string]string{
		"failover":            "cut",
		"pause:short":         "short",
		"crash:3":             "3",
		"latency:7ms":         "7ms",
		"none":                "",
		"crash:0":             "error",
		"latency:-7ms":        "error",
		"none:x":              "error",
		"pause:short,restart": "error",
		"pause:forever":       "error",
		"earthquake":          "error",
	} {
		_, variant, err := Find(spec)
		if want == "error" && err == nil || want != "error" && (err != nil || variant != want) {
			t.Errorf("%s: %q, %v; want %q", spec, variant, err, want)
		}
	}
}

// TestMovedWithinTheLease adds up what a holder waits for in the scenarios in which only the fault
// may take its lease away: otherwise every lock would be found to overrun.
func TestMovedWithinTheLease(t *testing.T) {
	for _, spec := range []string{"restart", "failover", "failover:healthy", "clock-server:+",
		"clock-server:0", "clock-client:+", "clock-client:0", "busy", "node-pause"} {
		e, variant, err := Find(spec)
		if err != nil {
			t.Fatal(err)
		}
		s, err := e.Scenario(variant, params)
		if err != nil {
			t.Fatal(err)
		}
		stood, inside := time.Duration(0), false
		for _, step := range s.Steps {
			switch {
			case step.Await != nil && step.Await.As == owner:
				inside = true
				if step.Await.Phase == "release" {
					stood = params.Hold
				} else {
					stood = -params.Hold // it works when it goes on
				}
			case inside && step.Do == Go && step.Target == owner:
				inside = false
				if stood < 0 {
					stood += 2 * params.Hold
				}
			case inside && (step.Do == Wait || step.Await != nil):
				stood += step.For.D()
			}
		}
		if stood > params.TTL*9/10 {
			t.Errorf("%s keeps the holder inside for %v of %v", spec, stood, params.TTL)
		}
	}
}

// TestTheTableHasNoEmptyWords looks at every time-out, and that every shared word is used.
func TestTheTableHasNoEmptyWords(t *testing.T) {
	for _, e := range All() {
		for _, f := range append([]Variant{{Form: e.Form}}, e.Variants...) {
			if _, err := params.span(f.Timeout); err != nil {
				t.Errorf("%s: %v", e.Name, err)
			}
		}
	}
	for name, steps := range table().Moments {
		if len(steps) == 0 || !regexp.MustCompile(`[\[ ]`+name+`[\],\n]`).Match(faultsFile) {
			t.Errorf("%s is empty or not used", name)
		}
		if _, ok := ActionOf(name); ok {
			t.Errorf("%s is an action, too", name)
		}
	}
}

// TestTheNameOfAColumn: a variant + or - is set off by a colon, and the error says so.
func TestTheNameOfAColumn(t *testing.T) {
	_, _, err := Find("clock-server+")
	if err == nil || !strings.Contains(err.Error(), `did you mean "clock-server:+"?`) {
		t.Errorf("%v", err)
	}
}

// TestWordsNameTheMeaning of a command, since another lock may send another one.
func TestWordsNameTheMeaning(t *testing.T) {
	for _, c := range []struct {
		await Await
		want  string
	}{
		{Await{Command: "^del ", Means: WithinRelease}, "await that a client sends the second " +
			"command of a release"},
		{Await{Command: "^get "}, `await that a client sends a command that matches "^get "`},
	} {
		if got := (Step{Await: &c.await}).Words(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	for _, meaning := range means {
		if meant[meaning] == "" {
			t.Errorf("%s has no words", meaning)
		}
	}
}
