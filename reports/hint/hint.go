// Package hint says after a run what to do next: which other run would tell more, and what this
// project has measured of the lock and the fault.
package hint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/matrix"
	"github.com/lockbench/lockbench/internal/measured"
	"github.com/lockbench/lockbench/internal/units"
)

// AllAims after the name of a fault stands for every aim that it has.
const AllAims = ":all"

// After are the hints after a run, in whole sentences. Environment is the one that the user named,
// "" if there was none.
func After(v *checker.Verdict, p harness.Plan, environment string) (hints []string, err error) {
	often, err := likely(v, p)
	other := cmp.Or(elsewhere(v, p, environment), more(v, p))
	for _, h := range []string{often, overrun(v), foreign(v, p), other, longer(v, p), open(v, p)} {
		if h != "" {
			hints = append(hints, h)
		}
	}
	return hints, err
}

// likely says how often the lock fails under the fault, and where to look for another; "" if this
// run violated nothing, or nothing was measured.
func likely(v *checker.Verdict, p harness.Plan) (string, error) {
	if len(v.Violated(false)) == 0 {
		return "", nil
	}
	k, err := measured.Of(p)
	if k == nil || err != nil || len(k.Rates) == 0 {
		return "", err
	}
	var often []string
	for _, r := range k.Rates {
		often = append(often, r.String())
	}
	clean := fmt.Sprintf("%d of %s stayed clean under %s", len(k.Others), units.Count(k.Asked,
		"lock"), k.Fault)
	if len(k.Others) == 0 {
		clean = fmt.Sprintf("none of %s stayed clean under %s", units.Count(k.Asked, "lock"), k.Fault)
	}
	return fmt.Sprintf("Measured before, with a lease of %s: %s; %s (lockbench choose --fault %s).",
		units.Span(k.TTL), units.List(often), clean, k.Fault), nil
}

// overrun says what is not the lock's to prevent: a client that works beyond its lease.
func overrun(v *checker.Verdict) string {
	letters := v.Violated(false)
	i := slices.IndexFunc(v.Properties, func(p checker.Property) bool {
		return p.Property == history.MutualExclusion && checker.FindClass(p.Class).Overrun
	})
	if i < 0 || slices.Contains(letters, history.LeaseExclusion) ||
		slices.Contains(letters, history.OwnerRelease) {
		return ""
	}
	return "S without L and O: the work outlasted the lease, which no lock with a lease can " +
		"prevent; a fencing token that the resource checks does."
}

// foreign says that the lock does not come to the moment that the fault waits for.
func foreign(v *checker.Verdict, p harness.Plan) string {
	if v.Verdict.String() != string(checker.Unknown) || !matrix.Foreign(p) {
		return ""
	}
	return fmt.Sprintf("The table has %s for other locks only: this one does not come to such a "+
		"moment.", p.Nemesis)
}

// longer says how long a run should last whose holds are so long that it could not tell; "" if that
// is not what it lacks.
func longer(v *checker.Verdict, p harness.Plan) string {
	if v.Verdict.String() != string(checker.Unknown) {
		return ""
	}
	d := p.Longer(v.Evidence.Contended)
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("A run of %v is too short for holds that are so long: --for %v gives it time.",
		p.For, d)
}

// open says how to judge what a run leaves open that ended with its violation.
func open(v *checker.Verdict, p harness.Plan) string {
	var letters []string
	for _, x := range v.Properties {
		if x.Verdict == checker.Unknown {
			letters = append(letters, x.Property)
		}
	}
	if len(letters) == 0 || len(v.Violated(false)) == 0 || p.Thorough ||
		v.Evidence.Contended >= p.Requires.Contended {
		return ""
	}
	return fmt.Sprintf("The run ended with its violation, and %s stayed open: --thorough=true goes "+
		"on until everything was tried.", units.List(letters))
}

// elsewhere says which other aim of the fault breaks the lock where this run found nothing, with a
// command for the environment that was named; "" if the table knows of none. The table is of
// servers that ask no replica and have no settings of their own.
func elsewhere(v *checker.Verdict, p harness.Plan, environment string) string {
	row, letters, others := matrix.Elsewhere(p)
	found := v.Violated(true)
	letters = slices.DeleteFunc(slices.Clone(letters), func(letter string) bool {
		return slices.Contains(found, letter)
	})
	if len(others) == 0 || len(letters) == 0 || len(v.Violated(false)) > 0 ||
		p.WaitReplicas > 0 || len(p.RedisConfig) > 0 {
		return ""
	}
	what := "This aim found nothing"
	switch {
	case len(found) > 0:
		what = "This aim found only " + units.List(found)
	case v.Verdict.String() == string(checker.Unknown):
		what = "This run told nothing"
	}
	which, command := "another aim", commandFor(row, p, environment)
	if len(others) == 1 {
		command += others[0].Nemesis
		if others[0].Clients > 0 {
			command += fmt.Sprint(" --clients ", others[0].Clients)
		}
	} else {
		fault, _, _ := strings.Cut(others[0].Nemesis, ":")
		which, command = "other aims", command+fault+AllAims
	}
	return fmt.Sprintf("%s, but the table expects %s of this lock from %s of the "+
		"fault: %s", what, units.List(letters), which, command)
}

// more says that a run which found nothing was one of several of its fault; "" if there are no
// others.
func more(v *checker.Verdict, p harness.Plan) string {
	o := harness.RunOptions{Impl: p.Impl, Variant: p.Variant, NoWatchdog: p.NoWatchdog}
	if p.Adapter != nil {
		o.Impl, o.Adapter = "", cmp.Or(p.Adapter.Dir, p.Adapter.Name)
	}
	fault, _, _ := strings.Cut(p.Nemesis, ":")
	aims, err := matrix.AimsOf(o, fault)
	aims = slices.DeleteFunc(aims, func(a matrix.Aim) bool { return a.Control })
	if err != nil || len(aims) < 2 || v.Verdict.String() != string(checker.Valid) {
		return ""
	}
	return fmt.Sprintf("%s has %d aims for such a lock, and this was one of them: --nemesis %s%s "+
		"runs all.", fault, len(aims), fault, AllAims)
}

// commandFor is the command that runs the lock again, up to the name of the fault.
func commandFor(row matrix.Row, p harness.Plan, environment string) string {
	line := "lockbench run --impl " + units.Quoted(p.Impl)
	if environment != "" {
		line += " --env " + environment
	}
	if row.Variant != "" {
		line += " --variant " + units.Quoted(row.Variant)
	}
	if p.NoWatchdog {
		line += " --watchdog=false"
	}
	return line + " --nemesis "
}
