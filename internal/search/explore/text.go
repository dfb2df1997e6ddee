package explore

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/repair"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
)

// Text writes the findings for people. The first line is the answer.
func (f Findings) Text(w io.Writer) error {
	t := screen{width: cmp.Or(f.Width, widest)}
	if f.Progress.Hung != "" {
		t.line("%s violates D: %s", f.Impl, f.Progress.Hung)
	}
	if f.noDefect() {
		t.line("no defect of %s was seen in %s; no lock of its kind prevents what follows (judged: %s)",
			f.Impl, units.Count(f.Progress.Runs, "run"), f.judged())
	}
	for i, x := range f.Found {
		if i > 0 {
			t.WriteString("\n")
		}
		f.tell(&t, x)
	}
	if len(f.Found) == 0 {
		f.none(&t)
	}
	f.notes(&t)
	if f.Verbose && len(f.Found) > 0 {
		t.steps(f.Found[0])
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// noDefect reports whether a search without a named fault found only what no lock of its kind can
// prevent, in runs that show enough.
func (f Findings) noDefect() bool {
	return len(f.Found) > 0 && f.Nemesis == "" && f.Covered == nil && f.WhyTooLittle() == "" &&
		!f.Stopped && !slices.ContainsFunc(f.Found, func(x Finding) bool { return x.Outside == "" })
}

// none tells a search that found nothing.
func (f Findings) none(t *screen) {
	p := f.Progress
	switch {
	case f.Covered != nil:
		t.line("%s%s", f.Covered, f.tooLittle())
	case p.Hung != "":
		return
	default:
		early := ""
		if f.Stopped {
			early = "stopped early: "
		}
		t.line("%sno violation of %s under %s in %s, %s (%s)%s", early, f.Impl,
			cmp.Or(f.Nemesis, "any fault"), units.Count(p.Runs, "run"), p.states(), f.pace(),
			cmp.Or(f.tooLittle(), p.rarer()))
	}
	if p.nothingJudged() == "" {
		t.line("Judged: %s", f.judged())
	}
}

// pace says how many runs a search made in a second, or how long one took.
func (f Findings) pace() string {
	if f.Rate > 0 && f.Rate < 1 {
		return fmt.Sprintf("%.0f s for each run", 1/f.Rate)
	}
	return fmt.Sprintf("%.0f runs/s", f.Rate)
}

// tooLittle says why a search that found nothing shows too little.
func (f Findings) tooLittle() string {
	if f.Doubt == "" {
		return ""
	}
	return ", which shows too little: " + f.Doubt
}

// judged names the properties that the runs judged, and those that they did not.
func (f Findings) judged() string {
	text := f.Progress.Letters(f.Verbose)
	others := slices.DeleteFunc(history.DefaultProperties(), func(letter string) bool {
		_, not := f.Progress.NotJudged[letter]
		return not || slices.Contains(f.Progress.Judged, letter)
	})
	if f.Asked["properties"] == "" && len(others) > 0 {
		text += "; not asked: " + units.List(others) + " (--properties names others)"
	}
	return text
}

// tell tells one finding: what is violated, how, what to do, and how to see it again.
func (f Findings) tell(t *screen, x Finding) {
	class := ""
	if x.Class != "" {
		class = ": " + x.Class
	}
	fault := cmp.Or(f.Nemesis, x.nemesis(), "some fault")
	t.line("%s under %s violates %s%s", f.Impl, fault, x.Property, class)
	if x.Outside != "" {
		t.row("Whose", "Not a defect: "+x.Outside+".")
	}
	if row, ok := history.FindProperty(x.Property); ok {
		t.row(x.Property, units.Upper(row.Broken)+".")
	}
	t.row("How", x.Explanation)
	t.toDo(x)
	if x.Real != nil {
		t.row("Real", x.Real.String())
	}
	t.row("Found", f.effort(x))
	if x.Varies {
		t.row("Varies", "the program's steps differ at each start, as where threads or timers race; "+
			"the violation is the same each time")
	}
	if x.Curve != nil {
		t.row("When", x.Curve.String()+x.decision())
	}
	t.row("File", x.File)
	t.WriteString("Again:  " + fmt.Sprintf(cmp.Or(f.Again, advice.Verb("replay")+" %s"),
		units.Quoted(x.File)) + "\n")
}

// effort says how much work a finding took.
func (f Findings) effort(x Finding) string {
	p, in, more := f.Progress, "", ""
	if x.Run > 0 {
		in = fmt.Sprintf("in run %d of ", x.Run)
	}
	if x.Unfinished {
		more = ", and the budget for that was used up"
	}
	return fmt.Sprintf("%s%s, %.0f a second, %s; %d more to make it small%s", in,
		units.Count(p.Runs, "run"), f.Rate, p.states(), x.ShrinkRuns, more)
}

// asideWords names the violations that did not end a search.
func asideWords(all []Aside) string {
	var words []string
	remains := ""
	for _, a := range all {
		words = append(words, a.kind()+" under "+a.Fault)
		if checker.FindClass(a.Class).Overrun {
			remains = "; only the resource can refuse a late holder"
		}
	}
	return strings.Join(words, ", ") + ": no lock of its kind prevents that" + remains
}

// notes tells what else a reader must know of the search.
func (f Findings) notes(t *screen) {
	p := f.Progress
	if len(p.Aside) > 0 {
		t.row("Also", asideWords(p.Aside))
	}
	if f.Covered != nil && len(f.Found) > 0 {
		t.row("Space", f.Covered.String())
	}
	if len(f.Missing) > 0 {
		t.row("Missing", "shard "+strings.Join(f.Missing, ", "))
	}
	if p.HarnessErrors > 0 && f.Doubt == "" {
		t.row("Broken", fmt.Sprintf("%s broke and %s nothing, the first because: %s",
			units.Count(p.HarnessErrors, "run"), units.Plural(p.HarnessErrors, "shows", "show"), p.Broke))
	}
	if p.Unrepeated > 0 {
		t.row("Unsure", fmt.Sprintf("%s violated a property with programs that had served other runs, "+
			"and not with fresh ones; they do not count", units.Count(p.Unrepeated, "run")))
	}
	if n := len(p.LeftOut); n > 0 {
		t.row("Without", p.leftOut(f.Verbose))
	}
}

// leftOut says which faults were not searched, or how many.
func (p Progress) leftOut(all bool) string {
	if !all {
		return units.Count(len(p.LeftOut), "fault") +
			" that the lock or the simulator cannot have (--verbose names them)"
	}
	var names []string
	for _, x := range p.LeftOut {
		names = append(names, x.Fault)
	}
	return "faults that the lock or the simulator cannot have: " + strings.Join(names, ", ")
}

// screen is a text for a terminal.
type screen struct {
	strings.Builder
	width int
}

// widest is the number of columns of a text if the terminal does not tell its own.
const widest = 100

// line writes a line, and folds it.
func (t *screen) line(format string, args ...any) {
	t.WriteString(progress.Fold(fmt.Sprintf(format, args...), t.width, 0) + "\n")
}

// rowMargin is the column at which the words of a row begin.
const rowMargin = 8

// row writes words with a heading in front of them.
func (t *screen) row(heading, words string) {
	lead := fmt.Sprintf("%-*s ", rowMargin-1, heading+":")
	t.WriteString(progress.Fold(lead+words, t.width, rowMargin) + "\n")
}

// toDo writes the repair of the violation, if runs have shown one.
func (t *screen) toDo(x Finding) {
	fix := x.repair()
	if fix == nil {
		return
	}
	t.row("To do", fix.Do)
	t.inset(fix.Code...)
	if fix.Tried {
		return // its command would need flags that name this lock
	}
	keeps, other := fix.Command.Kept, ""
	if !fix.Own {
		other = " (shown with another lock)"
	}
	t.row("Shown", units.List(keeps)+" "+units.Plural(len(keeps), "holds", "hold")+
		" with it under "+fix.Fault+other+":")
	t.inset(fix.Command.Line)
}

// inset writes lines of code below a row.
func (t *screen) inset(lines ...string) {
	for _, line := range lines {
		t.WriteString(strings.Repeat(" ", rowMargin+2) + line + "\n")
	}
}

// shownSteps limits the lines of a counterexample on a terminal. The file has every step.
const shownSteps = 60

func (t *screen) steps(x Finding) {
	if x.counterexample == nil {
		return // the counterexample is on the machine of its shard
	}
	t.WriteString("\n")
	for _, s := range x.counterexample.Plan.Scenario {
		fmt.Fprintln(t, "scenario  ", s)
	}
	lines := counterexample.Lines(x.counterexample.Steps)
	for i, line := range lines {
		if i == shownSteps {
			fmt.Fprintf(t, "… %d more\n", len(lines)-i)
			break
		}
		fmt.Fprintln(t, line)
	}
}

// nemesis returns the name of the fault. It returns "" if the counterexample is not on this
// machine.
func (f Finding) nemesis() string {
	if f.counterexample == nil {
		return ""
	}
	return f.counterexample.Plan.Nemesis
}

// decision returns the step that decided the violation, or "".
func (f Finding) decision() string {
	n := f.Curve.Decided
	if f.counterexample == nil || n == 0 || n > len(f.counterexample.Steps) {
		return ""
	}
	return ": " + strings.TrimSpace(f.counterexample.Steps[n-1].String())
}

// plain reports whether a client deleted a key with a plain command.
func (f Finding) plain() bool {
	return slices.ContainsFunc(f.counterexample.Steps, func(s counterexample.Step) bool {
		return s.Kind == counterexample.Exec && repair.Plain(strings.Fields(s.Command))
	})
}

// repair returns the repair of the violation, or nil if runs have not shown one.
func (f Finding) repair() *repair.Found {
	if f.counterexample == nil {
		return nil
	}
	p := f.counterexample.Plan
	v := repair.Violation{Fault: p.Nemesis, Property: f.Property, Class: f.Class, System: p.System(),
		Masters: p.Masters, Lease: p.Declares().Lease, Plain: f.plain(),
		CameLate: f.counterexample.Verdict.CameLate(),
		OneValue: f.counterexample.Verdict.OneValue != ""}
	if p.Adapter == nil && p.Variant == "" {
		v.Lock, v.Flags = p.Impl, "--impl "+p.Impl
	}
	return repair.Find(v)
}
