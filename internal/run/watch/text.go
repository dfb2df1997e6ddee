package watch

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/base/units"
)

// Write prints the answer, the table of the keys, and the limits of the watch.
func (s *Summary) Write(w io.Writer) error {
	if _, err := fmt.Fprintln(w, s.Answer); err != nil {
		return err
	}
	for _, found := range countsOf(s.Found, Evidence) {
		fmt.Fprintf(w, "Evidence, which decides nothing: %s.\n", found)
	}
	if err := WriteTable(w, s.Keys, s.Last-s.First, 20); err != nil {
		return err
	}
	for _, line := range s.Limits() {
		fmt.Fprintln(w, line)
	}
	return nil
}

// WriteTable prints the numbers of the busiest keys after a time in µs.
func WriteTable(w io.Writer, keys []KeyStats, took int64, most int) error {
	if len(keys) == 0 {
		return nil
	}
	t := progress.NewTable(w)
	fmt.Fprintln(t, "key\tshape\ttaken/s\trefused/s\twait p50\tp99\tlongest\thold p50\tp99\tlongest\t"+
		"lease used\tfound")
	for _, k := range keys[:min(len(keys), most)] {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", k.Key, k.ShapeName(), rate(k.Acquired, took),
			rate(k.Refused, took), k.Wait, k.Hold, fmt.Sprintf("%.0f %%\t%s", 100*k.Share, k.findings()))
	}
	if n := len(keys) - most; n > 0 {
		fmt.Fprintf(t, "and %d more\n", n)
	}
	return t.Flush()
}

func rate(n int, took int64) string {
	if took <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(n)*1e6/float64(took))
}

// String returns the quantiles as three columns.
func (p Spread) String() string {
	if p.N == 0 {
		return "-\t-\t-"
	}
	return span(p.P50) + "\t" + span(p.P99) + "\t" + span(p.Longest)
}

// ShapeName returns the shape of a lock, or the reason why it is not recognised.
func (s Stats) ShapeName() string {
	if s.Shape == "" {
		return "not recognised: " + s.Strange
	}
	if s.Name != "" {
		return s.Name + " (" + s.Shape + ")"
	}
	return s.Shape
}

// findings returns the findings of a key, worst first, and the evidence.
func (s Stats) findings() string {
	return cmp.Or(strings.Join(countsOf(s.Found, slices.Concat(Findings, Evidence)), ", "), "-")
}

// countsOf returns how often each of these kinds was found, such as "2 × overrun".
func countsOf(found map[Kind]int, kinds []Kind) (all []string) {
	for _, k := range kinds {
		if n := found[k]; n > 0 {
			all = append(all, fmt.Sprintf("%d × %s", n, k))
		}
	}
	return all
}

// Limits returns what could not be judged, in one line each.
func (s *Summary) Limits() (lines []string) {
	say := func(n int, format string, args ...any) {
		if n > 0 {
			lines = append(lines, fmt.Sprintf(format, args...))
		}
	}
	elsewhere, contradicted := 0, 0
	for _, k := range s.Keys {
		elsewhere += k.Elsewhere
		contradicted += k.Contradicted
	}
	say(s.Near, "Not judged: %s, because a write came within 10 ms of each, and %s until the key was "+
		"known again. An overrun there may not be seen.",
		units.Count(s.Near, "end of a lease", "ends of leases"), units.Count(s.AfterNear, "command"))
	say(s.Unjudged-s.AfterNear, "Not judged: %s for keys whose state was not known yet: a key may "+
		"have been there before watch began, until a DEL or a plain SET of it is seen.",
		units.Count(s.Unjudged-s.AfterNear, "command"))
	say(elsewhere, "Not judged: %s whose client is unknown: another connection had taken the key, or "+
		"its lease was over. --own-connections judges them; it is only for clients that do not share "+
		"connections.", units.Count(elsewhere, "deletion"))
	say(contradicted, "Lost track of a key %s: what a script did, or PTTL said, does not fit what "+
		"MONITOR showed.", units.Count(contradicted, "time"))
	say(s.Withheld, "Withheld: %s, because the server evicted keys at that time.",
		units.Count(s.Withheld, "finding"))
	say(s.Dropped, "The statistics of %s were given up; the limit is %d.",
		units.Count(s.Dropped, "key"), maxKeys)
	say(s.Unreadable, "%s could not be read.", units.Count(s.Unreadable, "line"))
	for _, why := range s.Lost {
		lines = append(lines, "Lost track of all keys: "+why+".")
	}
	return lines
}
