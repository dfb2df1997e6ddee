package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/lab/mutate"
	"github.com/lockbench/lockbench/lab/mutate/detection"
)

// detected writes lab/results/detection.md, which lists the small defects of the locks that the
// harness finds.
func (b *Book) detected(p *page) {
	d := b.Detection
	all := count(d.Mutants)
	p.heading(1, "Which defects are found")
	p.paragraph("A *mutant* is a lock of the table with one small defect. A letter, such as S, is a " +
		"property that a run can violate ([the letters](verdicts.md#the-letters)).")
	p.paragraph("**The answer.** lockbench tested %s of %s and found %d of them: these violate a "+
		"letter that the original lock does not violate under the same fault. Scenarios that aim at a "+
		"moment found %d, and random moments found %d. Another %d violate no letter, but do not pass: "+
		"their runs end *unknown*. Another %d are equivalent to their lock. lockbench did not find the "+
		"other %d, for [these reasons](#what-was-not-found).",
		units.Count(all.mutants, "mutant"), units.Count(len(d.Locks()), "lock"), all.found, all.aimed,
		all.drawn, all.noticed, all.equivalent, all.missed)
	p.paragraph("The judges of the letters know nothing about single locks. The specifications of "+
		"our own ports ([lab/spec](../spec/spec.go)) notice more: **%d of the %d** mutants depart from "+
		"the specification of their lock in a command, the end of a call or a hold. The original locks "+
		"never depart from it in the tests. [Below](#how-it-was-measured) is the meaning of each "+
		"column.",
		all.departs, all.mutants)
	p.head("lock", "mutants", "found", "aimed", "drawn", "no letter, does not pass", "equivalent",
		"not found", "departs")
	for _, lock := range d.Locks() {
		p.tally("["+lock+"](#"+lock+")", d.OfLock(lock))
	}
	p.tally("**all**", d.Mutants)

	p.heading(2, "By kind of defect")
	p.head("operator", "mutants", "found", "aimed", "drawn", "no letter, does not pass", "equivalent",
		"not found", "departs")
	for _, operator := range mutate.Operators() {
		p.tally(operator, slices.DeleteFunc(slices.Clone(d.Mutants), func(r detection.Result) bool {
			return r.Operator != operator
		}))
	}
	p.unaimed(d)
	b.howDetected(p)
	p.unfound(d)
	for _, lock := range d.Locks() {
		p.heading(2, lock)
		p.mutants(d.OfLock(lock))
	}
}

// unaimed writes how long it took to find mutants without an aim, and lists the mutants that only
// aimed scenarios found.
func (p *page) unaimed(d *detection.Record) {
	var all []int64
	var only []string
	open := 0
	var rows [][]string
	for _, lock := range d.Locks() {
		var took []int64
		for _, r := range d.OfLock(lock) {
			open += batch.Truth(r.DrawnOpen)
			if len(r.Drawn) > 0 {
				took = append(took, r.DrawnMillis)
			} else if len(r.Aimed) > 0 {
				only = append(only, fmt.Sprintf("%s, %s: %s", place(r), r.Operator, defect(r)))
			}
		}
		all = append(all, took...)
		rows = append(rows, []string{lock, median(took), worst(took)})
	}
	p.heading(2, "How long it takes without an aim")
	p.paragraph("Random moments found %d of %s. The median took %s ms of processor time, and the "+
		"worst took %s s (`cd lab && go run ./mutate/detect -times`). The search tried each fault, and "+
		"each other workload of the lock, with 6 seeds first, then with 24, then with 48.",
		len(all), units.Count(len(d.Mutants), "mutant"), median(all), worst(all))
	if open > 0 {
		p.paragraph("%s violated a letter that their lock also violates without the mutation. They "+
			"count as not found until `-times -deepen` tries them again.",
			units.Count(open, "mutant"))
	}
	p.head("lock", "median, ms", "worst, s")
	for _, row := range rows {
		p.row(row...)
	}
	if len(only) > 0 {
		p.paragraph("Only aimed scenarios found these:")
		p.items(only)
	}
}

// median returns the median of times in ms, and worst the longest of them in s. They return "-" if
// there are none.
func median(ms []int64) string {
	if len(ms) == 0 {
		return "-"
	}
	slices.Sort(ms)
	return fmt.Sprint(ms[len(ms)/2])
}

func worst(ms []int64) string {
	if len(ms) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(slices.Max(ms))/1000)
}

// howDetected describes the measurement.
func (b *Book) howDetected(p *page) {
	p.heading(2, "How it was measured")
	p.paragraph("An *operator* makes one kind of change. It knows nothing about single locks, and " +
		"applies wherever the source allows it, in Go and in Lua. For each operator and file one " +
		"mutant is tested, and a hash of the changed text chooses it. In a change, \"¶\" separates two " +
		"statements that swapped places.")
	p.items([]string{
		"**Aimed**: the scenarios of the [table of faults](verdicts.md#the-faults) that the simulator " +
			"can run for the lock, in each row of the lock, and those for libraries only, and the " +
			"lock's other workloads without a fault. \"+3\" means that three more faults also found the " +
			"mutant.",
		"**Drawn**: `lockbench explore` under every fault, with random moments and random orders of " +
			"messages ([explore.md](../../docs/explore.md)), for each variant of the lock, with and " +
			"without its watchdog, and with its other workloads without a fault and under a crash. Under " +
			"several random faults it also draws the lease, the clients, their times and their workload. " +
			"What the lock shows under any fault is then not counted.",
		fmt.Sprintf("Each mutant had %d s of processor time. Each scenario ran at most twice, and each "+
			"fault was drawn 48 times. A letter counts only if the original lock violates it neither under "+
			"the same fault nor without any. The original lock had many more runs in the simulator, and "+
			"its runs on Redis ([verdicts.md](verdicts.md)). Redlock was not tested.", b.Detection.Limit),
		"The checker and the loads have grown since most of the mutants were tested. Only some of " +
			"those that had not been found have been tested again, with 6 or 24 draws of each fault.",
		"**No letter, does not pass**: the client panics, a call never ends, or clients are hardly " +
			"ever granted the lock without any fault. Such a run ends *unknown*, and unknown never passes.",
		"**Equivalent**: no run can distinguish the mutant from the lock. Each has a reason.",
		"**Departs**: the mutant violates the lock's specification in an aimed scenario. Each scenario " +
			"ran once for this (`cd lab && go run ./mutate/detect -departs`).",
	})
	p.paragraph("`cd lab && go run ./mutate/detect` measures, and writes this page. A test finds " +
		"some of the mutants again, a different selection with each commit. `make soak` finds all " +
		"again.")
}

// tallied holds the counts of some mutants.
type tallied struct {
	mutants, found, aimed, drawn, noticed, equivalent, missed, departs int
}

func count(some []detection.Result) (t tallied) {
	for _, r := range some {
		t.mutants++
		reason := detection.ReasonOf(r)
		switch {
		case r.Found():
			t.found++
		case r.Noticed():
			t.noticed++
		case reason != nil && reason.Class == detection.Equivalent:
			t.equivalent++
		default:
			t.missed++
		}
		if r.Departs != "" {
			t.departs++
		}
		if len(r.Aimed) > 0 {
			t.aimed++
		}
		if len(r.Drawn) > 0 {
			t.drawn++
		}
	}
	return t
}

func (p *page) tally(name string, some []detection.Result) {
	if t := count(some); t.mutants > 0 {
		cells := []string{name}
		for _, n := range []int{t.mutants, t.found, t.aimed, t.drawn, t.noticed, t.equivalent, t.missed,
			t.departs} {
			cells = append(cells, fmt.Sprint(n))
		}
		p.row(cells...)
	}
}

// unfound lists the mutants that no violation reveals, with the reasons.
func (p *page) unfound(d *detection.Record) {
	p.heading(2, "What was not found")
	for _, class := range detection.Classes() {
		var paragraphs []string
		mutants := 0
		for _, reason := range detection.Reasons() {
			if reason.Class == class {
				places := placesOf(d, reason)
				mutants += len(places)
				paragraphs = append(paragraphs, reason.Reason, strings.Join(places, ", ")+".")
			}
		}
		p.heading(3, fmt.Sprintf("%s (%d)", classTitles[class], mutants))
		for _, text := range paragraphs {
			p.paragraph("%s", text)
		}
	}
}

// classTitles are the headings of the classes of reasons.
var classTitles = map[string]string{
	detection.Equivalent: "Equivalent",
	detection.Undrawn:    "A load, a setting or a moment that is not drawn",
	detection.Unjudged:   "No letter counts it",
	detection.Masked:     "The original lock violates the same letters",
	detection.Faultless:  "A fault that does not exist",
	detection.Harmless:   "Safer than the original lock",
}

// placesOf returns the positions of the mutants of a reason that are not found.
func placesOf(d *detection.Record, reason detection.Reason) (places []string) {
	for _, r := range d.Mutants {
		if slices.Contains(reason.Mutants, r.Key()) && !r.Noticed() {
			places = append(places, place(r))
		}
	}
	return places
}

// place returns the position of a mutant.
func place(r detection.Result) string {
	if r.Where == "" {
		return fmt.Sprintf("`%s:%d`", r.File, r.Line)
	}
	return fmt.Sprintf("`%s:%d` %s", r.File, r.Line, r.Where)
}

// defect describes the change of a mutant.
func defect(r detection.Result) string {
	if r.New == "" {
		return code(r.Old) + " dropped"
	}
	return code(r.Old) + " → " + code(r.New)
}

// code formats a piece of source for a cell of a table.
func code(s string) string {
	if strings.Contains(s, "`") {
		return "`` " + strings.ReplaceAll(s, "|", "\\|") + " ``"
	}
	return "`" + strings.ReplaceAll(s, "|", "\\|") + "`"
}

// mutants writes the table of a lock's mutants.
func (p *page) mutants(some []detection.Result) {
	p.head("where", "change", "aimed", "drawn", "departs")
	for _, r := range some {
		aimed, drawn := findings(r.Aimed), findings(r.Drawn)
		if !r.Found() {
			aimed = describeMiss(r)
		}
		p.row(place(r), defect(r), aimed, drawn, departs(r))
	}
}

// departs says whether a mutant did something that its lock does not do.
func departs(r detection.Result) string {
	if r.Departs == "" {
		return "-"
	}
	return "yes"
}

// describeMiss describes the result of a mutant without a violation.
func describeMiss(r detection.Result) string {
	switch r.End {
	case detection.Panics:
		return "panics " + oneLine(r.Words)
	case detection.Hangs:
		return "never ends " + oneLine(r.Words)
	case detection.Idle:
		return "unknown: " + oneLine(r.Words)
	}
	if reason := detection.ReasonOf(r); reason != nil && reason.Class == detection.Equivalent {
		return "equivalent"
	}
	return "not found"
}

// mostFaults limits the faults that are named for each property.
const mostFaults = 1

// findings formats the violated properties with their faults. Properties with the same faults
// share them.
func findings(all []detection.Finding) string {
	var parts, letters []string
	for _, letter := range history.Properties() {
		text := faultsOf(all, letter)
		if text == "" {
			continue
		}
		if i := slices.Index(parts, text); i >= 0 {
			letters[i] += letter
			continue
		}
		parts, letters = append(parts, text), append(letters, letter)
	}
	for i := range parts {
		parts[i] = fmt.Sprintf("**%s** %s", letters[i], parts[i])
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, "; ")
}

// faultsOf names the faults that violate a property, up to mostFaults.
func faultsOf(all []detection.Finding, letter string) string {
	var faults []string
	for _, f := range all {
		if slices.Contains(f.Letters, letter) && !slices.Contains(faults, f.Fault) {
			faults = append(faults, f.Fault)
		}
	}
	text := strings.Join(faults[:min(len(faults), mostFaults)], ", ")
	if more := len(faults) - mostFaults; more > 0 {
		text += fmt.Sprintf(" +%d", more)
	}
	return text
}
