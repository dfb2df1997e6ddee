package counterexample

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/lockbench/lockbench/internal/base/advice"
)

// nameLike matches values that need no quotes in YAML and are not numbers or booleans there.
var nameLike = regexp.MustCompile(`^(n[0-9]|acquire|granted|refused|released?|OK)$`)

// Write writes the file. It starts with a comment that explains the verdict.
func (c *Counterexample) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	c.comment(b)
	fmt.Fprintf(b, "format: %d\nschedule: %s\n\n", c.Format, c.Schedule)
	if err := section(b, "plan", c.Plan); err != nil {
		return err
	}
	c.deviations(b)
	b.WriteString("\nsteps:\n")
	for _, s := range c.Steps {
		fmt.Fprintf(b, "  - %s\n", s.Flow())
	}
	b.WriteString("\n")
	if err := section(b, "verdict", c.Verdict); err != nil {
		return err
	}
	c.curve(b)
	return b.Flush()
}

func (c *Counterexample) comment(b *bufio.Writer) {
	v := c.Verdict
	class := ""
	if v.Class != "" {
		class = ": " + v.Class
	}
	fmt.Fprintf(b, "# A counterexample of lockbench: %s under %s violates %s%s.\n#\n", c.Plan.Impl,
		c.Plan.Nemesis, v.Property, class)
	for _, line := range wrap(v.Explanation, 120) {
		fmt.Fprintf(b, "# %s\n", line)
	}
	if c.Plan.Adapter.Linked() {
		b.WriteString("#\n# The test that wrote it does it again: LOCKTEST_REPLAY=FILE go test.\n\n")
		return
	}
	b.WriteString(
		"#\n# `" + advice.Replay.Fill("FILE").Line + "` does it again in the simulator, " +
			"`" + advice.ReplayReal.Fill("FILE").Line + "` on a real redis-server.\n\n")
}

func (c *Counterexample) deviations(b *bufio.Writer) {
	b.WriteString(
		"\n# What differs from the default run of this plan. Without any one of these the violation is " +
			"gone.\ndeviations:")
	if len(c.Deviations) == 0 {
		b.WriteString(" {}\n")
		return
	}
	b.WriteString("\n")
	for _, name := range slices.SortedFunc(maps.Keys(c.Deviations), natural) {
		fmt.Fprintf(b, "  %s: %d\n", Quote(name), c.Deviations[name])
	}
}

// curve writes the curve, one line for each point.
func (c *Counterexample) curve(b *bufio.Writer) {
	if c.Curve == nil {
		return
	}
	fmt.Fprintf(b, "\n# How likely the violation was: the first steps again, and then at random. "+
		"It was\n# %s.\ncurve:\n  runs: %d\n  decided: %d\n  points:\n", c.Curve, c.Curve.Runs,
		c.Curve.Decided)
	for _, p := range c.Curve.Points {
		fmt.Fprintf(b, "    - {steps: %d, violations: %d}\n", p.Steps, p.Violations)
	}
}

// natural compares names so that the 9th message comes before the 10th.
func natural(a, b string) int {
	return cmp.Or(cmp.Compare(strings.TrimRight(a, "0123456789"), strings.TrimRight(b, "0123456789")),
		cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// section writes a value as a block of YAML with the field names of its JSON.
func section(b *bufio.Writer, name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	block, err := yaml.JSONToYAML(text)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "%s:\n", name)
	for line := range strings.Lines(string(block)) {
		b.WriteString("  " + line)
	}
	return nil
}

// Flow returns the step as the file stores it, as a YAML mapping in one line.
func (s Step) Flow() string {
	fields := []string{"at: " + s.At.String(), "kind: " + string(s.Kind)}
	text := func(name, value string) {
		switch {
		case value == "":
		case nameLike.MatchString(value):
			fields = append(fields, name+": "+value)
		default:
			fields = append(fields, name+": "+Quote(value))
		}
	}
	number := func(name string, value int) {
		if value != 0 {
			fields = append(fields, fmt.Sprintf("%s: %d", name, value))
		}
	}
	if s.Kind != Fault {
		fields = append(fields, fmt.Sprintf("client: %d", s.Client))
	}
	number("n", s.N)
	text("phase", s.Phase)
	number("seq", s.Seq)
	text("node", s.Node)
	text("command", s.Command)
	text("reply", s.Reply)
	text("err", s.Err)
	text("loss", string(s.Loss))
	if s.CalledOff {
		fields = append(fields, "called_off: true")
	}
	if s.Fault != nil {
		fields = append(fields, "fault: "+asJSON(s.Fault))
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// wrap breaks a text into lines of at most width bytes. A longer word gets its own line.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, w := range strings.Fields(text) {
		if line != "" && len(line)+1+len(w) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += w
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
