package study

import (
	"bufio"
	"fmt"
)

// Appendix is what docs/verdicts.md shows beside the matrix that it is made from: measured by commands
// of their own and kept beside the page. Parts that are nil are left out.
type Appendix struct {
	Mitigations *MitigationReport
	Soaks       []*Soak // one for each environment
	Exhaustive  *ExhaustiveReport
}

func (a Appendix) write(b *bufio.Writer) error {
	if len(a.Soaks) > 0 {
		fmt.Fprint(b,
			"\n## How often\n\n`make soak` runs the matrix many times, and fails if a letter is not found each time.\n")
	}
	for _, s := range a.Soaks {
		if s == nil {
			continue
		}
		fmt.Fprintf(b, "\n**Environment %s.** ", s.Environment)
		if err := flushed(b, s.Markdown(b)); err != nil {
			return err
		}
	}
	if a.Mitigations == nil {
		return nil
	}
	fmt.Fprint(b, "\n## What mends it\n\nMeasured by `lockbench matrix --mitigations`. ")
	return flushed(b, a.Mitigations.Markdown(b))
}
