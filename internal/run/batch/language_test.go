package batch

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
)

// twoInside is a history with two clients inside at once after a lease has run out, during a
// stall of the machine without which the lease would still run.
const twoInside = `{"type":"header","format":2,"environment":"sim","ttl":"100ms"}
{"type":"invoke","t":1000000,"process":0,"f":"acquire","n":1}
{"type":"ok","t":2000000,"process":0,"f":"acquire","n":1,"grant":{"sent":1500000,"lease":"50ms"}}
{"type":"invoke","t":3000000,"process":1,"f":"acquire","n":1}
{"type":"gap","t":60000000,"process":-1,"gap":"50ms"}
{"type":"ok","t":70000000,"process":1,"f":"acquire","n":1}
{"type":"invoke","t":80000000,"process":0,"f":"release","n":1}
{"type":"ok","t":81000000,"process":0,"f":"release","n":1}
{"type":"end","t":90000000,"process":-1}
`

// starving is a history in which a client is refused a free lock for just as long as it may be, but
// for a stall that is too short to count as evidence.
const starving = `{"type":"header","format":2,"environment":"sim","poll":"1ms","ttl":"100ms"}
{"type":"invoke","t":1000000,"process":0,"f":"acquire","n":1}
{"type":"ok","t":2000000,"process":0,"f":"acquire","n":1}
{"type":"invoke","t":3000000,"process":0,"f":"release","n":1}
{"type":"ok","t":4000000,"process":0,"f":"release","n":1}
{"type":"invoke","t":10000000,"process":1,"f":"acquire","n":1}
{"type":"gap","t":60000000,"process":-1,"gap":"20ms"}
{"type":"fail","t":1115000000,"process":1,"f":"acquire","n":1}
{"type":"end","t":1120000000,"process":-1}
`

// TestARunIsRepeatedInAnyLanguage judges a disturbed run and one that is not in another language,
// too: whether it is repeated must not hang on a text.
func TestARunIsRepeatedInAnyLanguage(t *testing.T) {
	for name, text := range map[string]string{"stalled": twoInside, "starving": starving,
		"calm": strings.ReplaceAll(twoInside, `"gap":"50ms"`, `"gap":"1ms"`)} {
		h, err := history.Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		var plan harness.Plan
		judge := func() (Finding, bool) {
			v := checker.Check(h, nil, checker.Options{Properties: []string{"S", "D"}})
			return NewFinding(v, nil), Disturbed(plan, v)
		}
		f, repeated := judge()
		undo := explain.Translate(explain.Pseudo)
		other, repeatedToo := judge()
		undo()
		if f.Stalled != (name != "calm") {
			t.Errorf("%s: stalled is %v", name, f.Stalled)
		}
		f.Explanations, other.Explanations, f.Reasons, other.Reasons = nil, nil, nil, nil
		if d := cmp.Diff(f, other); d != "" || repeated != repeatedToo {
			t.Errorf("%s: the language decides: repeated %v and %v\n%s", name, repeated, repeatedToo, d)
		}
	}
}
