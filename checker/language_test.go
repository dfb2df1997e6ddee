package checker

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/internal/history"
)

// told is a history that some test of this package judges.
type told struct {
	name     string
	history  *history.History
	commands []history.Command
	options  Options
}

// everyStory are the histories of all tables, judged for all properties.
func everyStory(t *testing.T) (all []told) {
	t.Helper()
	add := func(name, text, trace string, o Options) {
		all = append(all, told{name, story(t, text), commands(t, trace), o})
	}
	every := Options{Properties: []string{"S", "L", "O", "R", "D", Outage, "F", "U", Reentry,
		Validity, Notice}}
	for _, c := range exclusionCases {
		add(c.name, c.story, "", every)
	}
	for _, c := range doubtCases {
		add(c.name, c.story, "", Options{})
	}
	for _, c := range storyCases {
		add(c.name, c.story, "", every)
	}
	for _, c := range goldenCases {
		add(c.name, c.story, c.trace, every)
	}
	for _, c := range allCases {
		add(c.name, c.story, c.trace, Options{Properties: []string{c.property}})
	}
	return all
}

// TestNoTextIsData judges every history in another language, too: results, classes, witnesses,
// evidence and exit codes must be the same, and every text must be another.
func TestNoTextIsData(t *testing.T) {
	texts := 0
	for _, c := range everyStory(t) {
		t.Run(c.name, func(t *testing.T) {
			plain := Check(c.history, c.commands, c.options)
			undo := explain.Translate(explain.Pseudo)
			other := Check(c.history, c.commands, c.options)
			undo()
			for i, p := range plain.Properties {
				o := other.Properties[i]
				texts += differ(t, p.Property, p.Explanation, o.Explanation) +
					differ(t, p.Property, p.Reason, o.Reason)
			}
			texts += differ(t, "summary", plain.Summary, other.Summary)
			if d := cmp.Diff(mute(plain), mute(other)); d != "" {
				t.Errorf("the language changes the verdict:\n%s", d)
			}
		})
	}
	if texts < 300 {
		t.Errorf("only %d texts were said", texts)
	}
}

// differ counts a text that is another in the other language.
func differ(t *testing.T, what, plain, other string) int {
	t.Helper()
	if plain == "" && other == "" {
		return 0
	}
	if plain == other {
		t.Errorf("%s does not go through explain.Say: %s", what, plain)
	}
	return 1
}

// mute is a verdict without its texts.
func mute(v *Verdict) *Verdict {
	m := *v
	m.Summary, m.HarnessError, m.Draw, m.Porcupine.Took = "", "", nil, 0
	if starved := m.Evidence.Starved; starved != nil {
		silent := *starved
		silent.Explanation = ""
		m.Evidence.Starved = &silent
	}
	m.Properties = slices.Clone(v.Properties)
	for i := range m.Properties {
		p := &m.Properties[i]
		p.Explanation, p.Cause, p.Reason = "", "", ""
		if p.Witness != nil {
			w := *p.Witness
			w.Commands = slices.Clone(w.Commands)
			for j := range w.Commands {
				w.Commands[j].Effect = ""
			}
			p.Witness = &w
		}
	}
	return &m
}
