// Package tour holds the stories of the source documents, each as a run that shows it, and the
// tutorial that is made of them.
package tour

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/run/batch"
)

// Step is one step of the tutorial: a story of a document, or a command to try.
type Step struct {
	Name   string // for a story: run --story NAME
	Source string // for a story: the document and its line, "D000 line 34"
	Quote  string // for a story: a quotation from the document
	EN, ZH Words
	Run    string // for a story: the flags of run
	Expect string // for a story: the expected result
	// for other steps: the arguments of lockbench, and the exit code
	Command string
	Exit    int
}

// Page returns the place of a story's document in the docs, as a link from the repository's root.
func (s Step) Page() string {
	document, _, _ := strings.Cut(s.Source, " ")
	return "docs/locks/documents.md#" + strings.ToLower(document)
}

// Words is the text of a step in one language.
type Words struct{ Title, Told, See string }

//go:embed tour.yaml
var tourYAML string

var steps = batch.Table[[]Step]("tour.yaml", tourYAML)

// Steps returns the steps of the tutorial in order. The caller may keep and change the slice.
func Steps() []Step { return slices.Clone(steps()) }

// Names returns the names of the stories.
func Names() (names []string) {
	for _, s := range steps() {
		if s.Name != "" {
			names = append(names, s.Name)
		}
	}
	return names
}

// Story returns the story with a name.
func Story(name string) (Step, bool) {
	i := slices.IndexFunc(steps(), func(s Step) bool { return s.Name != "" && s.Name == name })
	if i < 0 {
		return Step{}, false
	}
	return steps()[i], true
}

// Args returns the arguments of lockbench that carry out the step.
func (s Step) Args() []string {
	if s.Name != "" {
		return []string{"run", "--story", s.Name}
	}
	return strings.Fields(s.Command)
}

// Flags returns the flags of run for a story, alternating names and values.
func (s Step) Flags() (flags []string) {
	for _, f := range strings.Fields(s.Run + " --expect " + s.Expect) {
		name, value, both := strings.Cut(strings.TrimPrefix(f, "--"), "=")
		if flags = append(flags, name); both {
			flags = append(flags, value)
		}
	}
	return flags
}

// frame is what the tour says around its steps in one language.
type frame struct {
	heading string // for the number of a step, of all, and a title
	note    string // names the parts in another language; may be empty
	words   func(Step) Words
}

// english tells a Chinese reader that output and reports are in English.
const english = "各步的说明是中文；命令的输出（包括其中的 Story 一段）和报告是英文，中文说明在每步的输出之后。"

var frames = map[string]frame{
	"en": {heading: "%d of %d: %s", words: func(s Step) Words { return s.EN }},
	"zh": {heading: "第 %d 步，共 %d 步：%s", note: english, words: func(s Step) Words { return s.ZH }},
}

// Note says what of the tour is not in a language, or "" if all is.
func Note(language string) string { return frames[language].note }

// Languages returns the languages of the tutorial.
func Languages() []string { return []string{"en", "zh"} }

// Heading returns the title of the nth step in a language, with its number.
func Heading(language string, n int) string {
	all := steps()
	return fmt.Sprintf(frames[language].heading, n, len(all), all[n-1].In(language).Title)
}

// In returns the text of a step in a language.
func (s Step) In(language string) Words { return frames[language].words(s) }
