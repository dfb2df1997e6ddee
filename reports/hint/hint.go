// Package hint suggests the next step after a run: another run that would show more, and the
// project's measurements of the lock and the fault.
package hint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/choose"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// AllAims after the name of a fault selects all of its aims.
const AllAims = ":all"

// A Hint is a whole sentence about what to do after a run, with the command that it names, if any.
// The zero value has nothing to say.
type Hint struct {
	Text    string // without its last full stop
	Command advice.Command
}

// Sentence returns the words before the command, or the whole sentence if it has none.
func (h Hint) Sentence() string {
	switch {
	case h.Text == "":
		return ""
	case h.Command.Line == "":
		return h.Text + "."
	}
	return h.Text + ":"
}

// String returns the sentence with its command.
func (h Hint) String() string {
	return strings.TrimSpace(h.Sentence() + " " + h.Command.Line)
}

// For returns the hints after a run. Environment is the one that the user named, or "". Again is
// the command that repeats the run, or "".
func For(v *checker.Verdict, p harness.Plan, environment, again string) (hints []Hint,
	err error) {
	k, err := choose.Lookup(p)
	if k == nil {
		k = &choose.Known{}
	}
	other := elsewhere(v, p, k, environment)
	if other.Text == "" {
		other = more(v, p)
	}
	hints = slices.DeleteFunc([]Hint{likely(v, k), other, longer(v, p, again)}, func(h Hint) bool {
		return h.Text == ""
	})
	if len(hints) == 0 && v.Verdict.String() == string(checker.Unknown) &&
		!nemesis.Control(p.Nemesis) && !asksNothing(v) {
		hints = append(hints, fallback(v, p).hint(again))
	}
	return hints, err
}

// asksNothing reports whether the lock or the workload has none of the properties to judge.
func asksNothing(v *checker.Verdict) bool {
	return len(v.Properties) > 0 && !slices.ContainsFunc(v.Properties, func(p checker.Property) bool {
		return !p.Reported && p.Verdict != checker.NA
	})
}

// likely says how often the lock fails under the fault, and where to look for another, if this run
// violated something that was measured.
func likely(v *checker.Verdict, k *choose.Known) (h Hint) {
	if len(v.Violated(false)) == 0 || len(k.Rates) == 0 {
		return h
	}
	h.Command = k.Choose()
	h.Text = fmt.Sprintf("Measured before, with %s: %s; of %s, %d are known to stay "+
		"clean under %s", k.Lease(), units.List(k.Rates), units.Count(k.Asked, "lock"),
		k.Remain, k.FaultNames())
	return h
}

// longer says how long a run should last whose holds are so long that it could not tell.
func longer(v *checker.Verdict, p harness.Plan, again string) (h Hint) {
	d := p.Longer(v.Evidence.Contended)
	if d == 0 || v.Verdict.String() != string(checker.Unknown) {
		return h
	}
	return change{fmt.Sprintf("Its holds are too long for a run of %v", p.For),
		fmt.Sprint("--for ", d)}.hint(again)
}

// A change says why a run should be repeated, and with which flags, if any.
type change struct{ why, flags string }

// hint returns the command again with the flags, or only the flags if again is "" or runs a
// plan, which takes none.
func (c change) hint(again string) Hint {
	words := strings.Fields(c.flags)
	switch {
	case c.flags == "":
		return Hint{Text: c.why}
	case !strings.HasPrefix(again, advice.Verb("run")) || strings.Contains(again, " --plan "):
		return Hint{Text: c.why + ": " + c.flags}
	}
	for i := 0; i < len(words); i += 2 {
		again = regexp.MustCompile(" "+words[i]+" [^ ]+").ReplaceAllLiteralString(again, "")
	}
	return Hint{Text: c.why, Command: advice.Command{Line: again + " " + c.flags}}
}

// fallback says what to do after a run that could not tell, if nothing better is known.
func fallback(v *checker.Verdict, p harness.Plan) change {
	if v.HarnessError != "" {
		return change{why: "A longer run would not help: if a client's process ended, its log says " +
			"why, and the lock itself may have ended it"}
	}
	if v.Evidence.Acquisitions == 0 {
		return change{why: "No call was granted the lock: the report shows what each client sent, and " +
			"what it was told"}
	}
	switch e := v.Evidence; {
	case e.Hits < p.Requires.Hits && len(e.Missed) > 0:
		return change{"The fault missed its moment; another seed may hit it",
			fmt.Sprint("--seed ", p.Seed+1)}
	case len(e.Untested) > 0:
		if longer := harness.LongerHolds(p); longer != "" {
			return change{"Hold the lock for longer", longer}
		}
		return change{why: "The holds outlast the waits of the scenario; the report shows what each " +
			"client sent after the fault"}
	}
	if p.Clients == 1 {
		return change{"One client has no other to contend with; run at least two", "--clients 2"}
	}
	if fault := nemesis.Base(p.Nemesis); fault != p.Nemesis && awaited(v, p) {
		return change{fmt.Sprintf("No client sent within %v what this aim waits for, and the lock "+
			"may have no such command; try the fault without its aim", p.For), "--nemesis " + fault}
	}
	if stalled(v) {
		const stood = "The machine stood still in this run: run it again on a quieter machine"
		if p.Adapter == nil && p.Environment != "sim" {
			return change{stood + ", or in the simulator", "--env sim"}
		}
		return change{why: stood + " if you can"}
	}
	if rest := besidesOwner(v); len(rest) > 0 {
		return change{"Only O is unknown. Try another seed; if O stays unknown, judge only the others",
			"--properties " + strings.Join(rest, ",")}
	}
	if drawn, _, _ := nemesis.Find(p.Nemesis); drawn.Drawn && v.Evidence.Undone == nil {
		return change{"Draw another run", fmt.Sprint("--seed ", p.Seed+1)}
	}
	const brief = time.Second
	if p.Adapter != nil && p.AcquireTimeout.D() > brief && undecided(v) {
		return change{"Let waiting calls return before the run ends", fmt.Sprint("--acquire-timeout ",
			brief)}
	}
	if p.Outstays() {
		return change{"Try the fault without this aim", "--nemesis " + nemesis.Base(p.Nemesis)}
	}
	more := 2 * max(p.For.D(), harness.DefaultFor)
	if undecided(v) && !harness.AwaitsLease(p.TTL.D(), more) {
		return change{fmt.Sprintf("A lease of %v is too long even for a run of %v; try a shorter one",
			p.TTL, more), "--ttl 2s"}
	}
	return change{"Give the run more time", fmt.Sprint("--for ", more)}
}

// stalled reports whether a property is unknown since the machine stood still.
func stalled(v *checker.Verdict) bool {
	return slices.ContainsFunc(v.Properties, func(p checker.Property) bool {
		return !p.Reported && p.Stalled && p.Verdict.String() == string(checker.Unknown)
	})
}

// besidesOwner returns the properties that were decided, if O is the only one that was not.
func besidesOwner(v *checker.Verdict) (decided []string) {
	for _, p := range v.Properties {
		switch {
		case p.Reported || p.Verdict == checker.NA:
		case p.Verdict.String() != string(checker.Unknown):
			decided = append(decided, p.Property)
		case p.Property != history.OwnerRelease:
			return nil
		}
	}
	return decided
}

// undecided reports whether D is unknown.
func undecided(v *checker.Verdict) bool {
	return slices.ContainsFunc(v.Properties, func(p checker.Property) bool {
		return p.Property == checker.Deadlock && p.Verdict.String() == string(checker.Unknown)
	})
}

// awaited reports whether the run ended while its scenario waited for a command.
func awaited(v *checker.Verdict, p harness.Plan) bool {
	u := v.Evidence.Undone
	if u == nil || u.Step > len(p.Scenario) {
		return false
	}
	a := p.Scenario[u.Step-1].Await
	return a != nil && (a.Command != "" || a.Means != "")
}

// elsewhere names another aim of the fault, one that broke the lock in a measurement, if this run
// found nothing. The measurement had no replicas to ask and no settings of its own.
func elsewhere(v *checker.Verdict, p harness.Plan, k *choose.Known, environment string) (h Hint) {
	if len(v.Violated(false)) > 0 || p.WaitReplicas > 0 || len(p.RedisConfig) > 0 ||
		nemesis.Control(p.Nemesis) {
		return h
	}
	found := v.Violated(true)
	for _, r := range k.Rates {
		letters := slices.DeleteFunc(slices.Clone(r.Properties), func(letter string) bool {
			return slices.Contains(found, letter) || slices.Contains(history.ReportedProperties(), letter)
		})
		if len(letters) == 0 || nemesis.SameAim(r.Nemesis, p.Nemesis) {
			continue
		}
		h.Command = commandFor(p, r, environment)
		h.Text = fmt.Sprintf("%s, but %s violated %s in %d of %s", foundBy(v, found), r.Nemesis,
			units.List(letters), r.Hits, units.Count(r.Of, "run"))
		return h
	}
	return h
}

// foundBy describes the findings of a run without a violation that counts.
func foundBy(v *checker.Verdict, found []string) string {
	switch {
	case len(found) > 0:
		return "This aim found only " + units.List(found)
	case v.Verdict.String() == string(checker.Unknown):
		return "This run told nothing"
	}
	return "This aim found nothing"
}

// more says how to run all aims of a fault, after a run that found nothing.
func more(v *checker.Verdict, p harness.Plan) (h Hint) {
	fault := nemesis.Base(p.Nemesis)
	aims, err := matrix.AimsOf(matrix.LockOptions(p), fault)
	aims = slices.DeleteFunc(aims, func(a matrix.Aim) bool { return a.Control })
	if err != nil || len(aims) < 2 || v.Verdict.String() != string(checker.Valid) {
		return h
	}
	one := ""
	if slices.ContainsFunc(aims, func(a matrix.Aim) bool {
		return nemesis.SameAim(a.Nemesis, p.Nemesis)
	}) {
		one = ", and this was one of them"
	}
	h.Text = fmt.Sprintf("%s has %d aims for such a lock in the matrix%s: --nemesis %s%s runs these",
		fault, len(aims), one, fault, AllAims)
	return h
}

// commandFor returns the command that repeats the measurement of a plan with the same lock.
func commandFor(p harness.Plan, r choose.Rate, environment string) (c advice.Command) {
	line := advice.Verb("run") + " " + matrix.LockFlags(p) + matrix.LeaseFlag(p)
	if environment != "" {
		line += " --env " + environment
	}
	line += " --nemesis " + r.Nemesis
	fault := nemesis.Base(r.Nemesis)
	aims, _ := matrix.AimsOf(matrix.LockOptions(p), fault)
	for _, a := range aims {
		if a.Clients > 0 && nemesis.SameAim(a.Nemesis, r.Nemesis) {
			line += fmt.Sprint(" --clients ", a.Clients)
			break
		}
	}
	c.Line = line
	if r.Hits == r.Of {
		c.Exits, c.Violated = []int{checker.ExitUnexpected}, r.Properties
	}
	return c
}
