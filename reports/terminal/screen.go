package terminal

import (
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/reports/hint"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/view"
)

// tallest is the number of lines of the first screen of a violation, with its ending.
const tallest = 22

// screen writes the answer, its cause, what to do and the story of the worst violation. The story
// is cut if the screen would be too tall.
func (t *terminal) screen(v *view.View, x Extra) {
	a := v.Answer()
	t.wrap("", t.paint(bold, v.Question())+" "+t.paint(tone(a.Result), a.Word), 0)
	w := v.First()
	violated := a.Result == checker.Violated && w != nil
	t.wrap("", a.Sentence, 0)
	t.unasked(v.Unasked.Hint)
	if !violated {
		t.section("Judged", t.also(v))
		t.leftBehind(v, x.Orphan)
		t.section("Whose", view.Whose(v))
		t.next(x.Hints)
		return
	}
	t.section("Cause", units.Upper(w.Cause()))
	t.section("Whose", view.Whose(v))
	t.remedy(x.Remedy)
	end := terminal{Look: t.Look}
	end.section("Also", t.also(v))
	end.ending(v, x)
	t.story(w, tallest-t.lines()-end.lines())
	t.section("Also", t.also(v))
}

// leftBehind writes for how long a key that was left behind kept clients out, and what to do.
func (t *terminal) leftBehind(v *view.View, r hint.Remedy) {
	text := view.LeftBehind(v)
	if text != "" && r.Do != "" {
		text += " " + page.Clean(r.Do, 300) + "."
	}
	t.section("R", text)
}

// unasked writes what the run was not asked, and the command that asks it.
func (t *terminal) unasked(u hint.Hint) {
	if u.Text != "" {
		t.wrap("", u.Sentence(), 0)
	}
	if u.Command.Line != "" {
		t.command("  ", page.Clean(u.Command.Line, 1000))
	}
}

func (t *terminal) lines() int { return strings.Count(t.String(), "\n") }

// section writes a text with a heading in front of it, unless the text is empty.
func (t *terminal) section(name, text string) {
	if text != "" {
		t.wrap(t.paint(dim, fmt.Sprintf("%-7s", name+":"))+" ", text, margin)
	}
}

// margin is the column of all texts after a heading.
const margin = 8

// Remedy returns what to do, in lines of at most so many columns, as a summary says it. A line of
// code may be longer.
func Remedy(r hint.Remedy, columns int) string {
	t := terminal{Look: Look{Width: columns + margin}}
	t.remedy(r)
	var lines []string
	for line := range strings.Lines(t.String()) {
		lines = append(lines, strings.TrimRight(line[margin:], "\n"))
	}
	return strings.Join(lines, "\n")
}

func (t *terminal) remedy(r hint.Remedy) {
	if r.Do == "" {
		return
	}
	end := "."
	if len(r.Code) > 0 {
		end = ":"
	}
	t.section("To do", page.Clean(r.Do, 300)+end)
	for _, line := range r.Code {
		t.line(strings.Repeat(" ", margin+2) + line)
	}
	t.sentences(r.Why)
	if r.Command.Line != "" {
		t.sentences([]string{r.Shown + ":"})
		t.command(strings.Repeat(" ", margin+2), page.Clean(r.Command.Line, 1000))
	}
	t.sentences(r.Rest)
}

// sentences writes each sentence on lines of its own.
func (t *terminal) sentences(all []string) {
	for _, s := range all {
		t.wrap(strings.Repeat(" ", margin), s, margin)
	}
}

// command writes a command after a lead. If it is too long for a line, it goes on after a
// backslash, so that a reader can paste it into a shell.
func (t *terminal) command(lead, line string) {
	words := strings.SplitAfter(line, " --")
	for i := range words[:max(0, len(words)-1)] { // each flag begins a word
		words[i], words[i+1] = strings.TrimSuffix(words[i], " --"), "--"+words[i+1]
	}
	t.flow(lead, words, " \\", margin+4)
}

// story writes the events of a violation in at most so many lines, but at least in some. It takes
// the longest story that fits, and cuts off the end of the shortest only if none does.
func (t *terminal) story(w *view.Violation, lines int) {
	const least = 3
	lines = max(lines, least)
	all := w.Events()
	for text := all[0]; ; {
		s := terminal{Look: t.Look}
		s.section("How", text)
		if s.lines() <= lines || text == more {
			t.WriteString(s.String())
			return
		}
		if len(all) > 1 {
			all = all[1:]
			text = all[0] + more
		} else {
			text = shorter(text)
		}
	}
}

// more ends a story that was cut. The path of the report follows soon.
const more = " …"

// shorter returns a text without its last sentence, or without its last word if it has one
// sentence.
func shorter(text string) string {
	text = strings.TrimSuffix(strings.TrimSuffix(text, more), ".")
	i := strings.LastIndex(text, ". ")
	if i < 0 {
		return text[:max(0, strings.LastIndex(text, " "))] + more
	}
	return text[:i+1] + more
}

// next writes the next step after a run without a violation, on one line if there is room.
func (t *terminal) next(hints []hint.Hint) {
	for _, h := range hints {
		if all := h.String(); h.Command.Line != "" && margin+visible(all) <= t.width() {
			t.section("Next", all)
			continue
		}
		t.section("Next", h.Sentence())
		if h.Command.Line != "" {
			t.command(strings.Repeat(" ", margin+2), h.Command.Line)
		}
	}
}

// also says in one line what else was violated, and what was not judged.
func (t *terminal) also(v *view.View) (line string) {
	if v.Verdict == nil {
		return ""
	}
	for _, f := range []form{full, classes, brief, letters} {
		if line = f.line(v); visible(line)+margin <= t.width() {
			break
		}
	}
	return line
}

// form is how much a line says of each property.
type form int

// The forms: with what was broken, with the classes, the same without a note, and without classes.
const (
	full form = iota
	classes
	brief
	letters
)

// line says what else was violated and what was not judged.
func (f form) line(v *view.View) string {
	of := map[string][]string{}
	for _, p := range v.Properties() {
		switch {
		case p.State == "na" && view.NamesLetters(v):
			of["unknown"] = append(of["unknown"], p.Name)
		case p.State != "violated":
			of[p.State] = append(of[p.State], p.Name)
		case v.Verdict.Verdict != checker.Violated || !v.First().Concerns(p.Name):
			of[p.State] = append(of[p.State], f.violated(p, v.Verdict.Property(p.Name)))
		}
	}
	var parts []string
	for _, x := range [][2]string{{"violated", ""}, {"valid", " valid"}, {"unknown", " not judged"}} {
		if names := of[x[0]]; len(names) > 0 {
			parts = append(parts, strings.Join(names, ", ")+x[1])
		}
	}
	text := strings.Join(parts, "; ")
	if f == full && v.Ended() && len(of["unknown"]) > 0 &&
		v.Verdict.Property(history.Deadlock).Verdict != checker.Violated { // no client gets in any more
		text += " (--thorough=true does)"
	}
	if text != "" && f != brief {
		text += " (--verbose explains)"
	}
	return text
}

// violated names a violation and what it is about.
func (f form) violated(row view.PropertyRow, p checker.Property) string {
	text := page.Clean(p.Class, 80)
	if text == "" && f == full {
		text = view.Broken(row)
	}
	if text == "" || f == letters {
		return row.Name + " violated"
	}
	return fmt.Sprintf("%s violated (%s)", row.Name, text)
}

// ending writes what belongs at the end of every summary: an error of the harness, the expectation
// of the user, how to repeat the run, and its report.
func (t *terminal) ending(v *view.View, x Extra) {
	h := v.History.Header
	if v.Verdict != nil && v.Verdict.HarnessError != "" {
		t.wrap(t.paint(red, "Failed:")+" ", units.Sentence(page.Clean(v.Verdict.HarnessError, 400)),
			margin)
	}
	if starved := v.Starved(); starved != "" {
		t.section("Starved", starved+".")
	}
	if what, how := v.Expectation(); what != "" {
		t.line(fmt.Sprintf("Expected %s: %s.", what, how))
	}
	if h.Command != "" {
		t.command(t.paint(dim, "Again:")+"  ", page.Clean(h.Command, 1000))
	}
	if x.Report != "" {
		t.line(t.paint(dim, "Report:") + " " + x.Report)
	}
}
