package view

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/reports/page"
)

// Question returns the question that the run was made to answer.
func (v *View) Question() string {
	h := v.History.Header
	lock, when := "this lock", nemesis.When(h.Nemesis, v.Planned().System())
	if h.Impl != "" {
		lock = "the lock " + page.Clean(h.Impl, 60)
	}
	if when == "" && h.Nemesis != "" {
		faults := strings.Split(h.Nemesis, ",")
		when = "under the " + units.Plural(len(faults), "fault", "faults") + " " +
			page.Clean(units.List(faults), 60)
	}
	ask := "Can two clients hold " + lock + " at once"
	switch letters, name := chosen(v), modelOf(v); {
	case name != "":
		ask = models[name].question(lock)
	case len(letters) > 0:
		ask = hold(letters) + " for " + lock
	case onlyValidity(v):
		ask = "Is a grant of " + lock + " still valid on arrival"
	case h.Declares.Transaction:
		ask = "Can an update be lost that is in one transaction with " + lock
	case h.Declares.Optimistic:
		ask = "Can an update that " + lock + " checks be lost"
	}
	return strings.TrimSpace(ask+" "+when) + "?"
}

// Caveats returns the differences between the environment and the things that its words suggest.
func (v *View) Caveats() (cs []string) {
	if v.History.Header.Environment != "sim" && slices.ContainsFunc(v.Faults, Fault.linked) {
		cs = append(cs,
			"A link that is cut or held here loses or keeps data, but not the end of a connection: "+
				"the proxy passes FIN and RST. A real partition lets neither through, so a client may "+
				"notice later than it did here.")
	}
	return append(cs, v.forgetful()...)
}

// forgetful says that a restarted Redis had kept nothing on its disk.
func (v *View) forgetful() []string {
	p := v.Planned()
	again := slices.ContainsFunc(v.Faults, func(f Fault) bool {
		return f.Action == nemesis.KillNode && !f.Lasting
	})
	if !again || nemesis.SystemName(p.System()) != nemesis.SystemName("") || persists(p.RedisConfig) {
		return nil
	}
	return []string{"Redis keeps nothing on disk here: a server that is started again is empty. " +
		"With --redis-config appendonly=yes it keeps its data."}
}

// Lease names the lease of a run. If its clients have different leases, it names them all.
func Lease(h history.Header) string {
	if len(h.Leases) == 0 {
		return units.Span(h.TTL)
	}
	return h.Leases.String() + " (clients by turns)"
}

// Subtitle summarizes the run in a line, with its place and time.
func (v *View) Subtitle() string {
	h := v.History.Header
	parts := []string{units.Count(len(v.Clients), "client"), units.Count(max(1, h.Keys), "lock")}
	if h.TTL > 0 {
		parts = append(parts, "lease "+Lease(h))
	}
	parts = append(parts, v.Settings()...)
	if h.Workload != "" {
		parts = append(parts, "workload "+page.Clean(h.Workload, 40))
	}
	if h.Environment != "" {
		where := "environment " + page.Clean(h.Environment, 40)
		parts = append(append(parts, where), versions(h)...)
	} else {
		parts = append(parts, "an imported history")
	}
	if h.Started != "" {
		parts = append(parts, startedAt(h.Started))
	}
	return strings.Join(parts, " · ")
}

// versions names the library and the servers of a run with their versions.
func versions(h history.Header) (all []string) {
	for name, version := range h.Versions {
		switch name {
		case "lockbench", "sim":
			continue
		case "redis":
			name = "Redis"
		}
		all = append(all, page.Clean(name, 60)+" "+page.Clean(version, 40))
	}
	slices.Sort(all)
	return all[:min(len(all), mostVersions)]
}

// mostVersions is the number of versions in the head of a report. Its end has all of them.
const mostVersions = 4

// Planned returns the run's plan. It is empty if there is none.
func (v *View) Planned() harness.Plan { return planOf(v.Plan) }

func planOf(text json.RawMessage) (p harness.Plan) {
	if json.Unmarshal(text, &p) != nil {
		return harness.Plan{}
	}
	return p
}

// Ended reports whether the run ended with its violation, before it had tried everything.
func (v *View) Ended() bool {
	return v.Verdict.Verdict == checker.Violated && !v.Planned().Thorough &&
		v.Verdict.Evidence.Contended < v.History.Header.Requires.Contended
}

// persists reports whether the settings make Redis write to its disk.
func persists(config []string) bool {
	for i := 0; i+1 < len(config); i += 2 {
		if name, value := config[i], config[i+1]; name == "appendonly" && value == "yes" ||
			name == "save" && value != "" {
			return true
		}
	}
	return false
}

// Settings returns the settings of the run's plan that change the guarantees of its servers, as a
// user types them, and how long a client holds the lock.
func (v *View) Settings() (out []string) {
	p := v.Planned()
	if p.Variant != "" {
		out = append(out, "variant "+page.Clean(p.Variant, 60))
	}
	if p.Hold > 0 {
		out = append(out, "hold "+units.Span(p.Hold))
	}
	for _, n := range []struct {
		flag  string
		value int
	}{{"--replicas", p.Replicas}, {"--wait-replicas", p.WaitReplicas}} {
		if n.value > 0 {
			out = append(out, fmt.Sprint(n.flag, " ", n.value))
		}
	}
	for i := 0; i+1 < len(p.RedisConfig); i += 2 {
		out = append(out, "--redis-config "+page.Clean(p.RedisConfig[i]+"="+p.RedisConfig[i+1], 80))
	}
	if p.NoWatchdog {
		out = append(out, "--watchdog=false")
	}
	return out
}

// Adapter returns the adapter that drove the lock of this run, as --adapter takes it: a user's
// folder, or the name of one of lockbench's own. It returns "" if there was none.
func (v *View) Adapter() string {
	a := v.Planned().Adapter
	if a == nil {
		return ""
	}
	return page.Clean(cmp.Or(a.Dir, a.Name), 500)
}

// startedAt formats an RFC 3339 time for people, to the second. It returns other text unchanged.
func startedAt(s string) string {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return page.Clean(s, 40)
	}
	return t.Format("2006-01-02 15:04:05 MST")
}

// Expectation returns the expected verdict of a run and how the verdict compares. It returns ""
// twice if the run expects "valid", the default: the answer says whether it is.
func (v *View) Expectation() (what, how string) {
	switch {
	case v.Verdict == nil || slices.Contains([]string{"", string(checker.Valid)}, v.Verdict.Expect):
		return "", ""
	case v.Verdict.AsExpected:
		return page.Clean(v.Verdict.Expect, 40), "as expected"
	case v.Verdict.Exit == checker.ExitUnknown && history.ParseExpectation(v.Verdict.Expect).Starved:
		return v.Verdict.Expect, "the run shows too little, and --for makes it longer"
	}
	return page.Clean(v.Verdict.Expect, 40), "not as expected"
}
