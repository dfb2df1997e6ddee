package study

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// ran makes the results of a scenario: in each of n runs the letters of found are violated and all
// others valid.
func ran(row, column, nemesis string, control bool, n int, found func(i int) string) (
	out []matrix.Result) {
	for i := range n {
		r := matrix.Result{Row: row, Column: column, Nemesis: nemesis, Control: control, Attempt: i + 1}
		r.Properties = map[string]checker.Result{}
		for _, l := range batch.Properties {
			r.Properties[l] = checker.Valid
			if strings.Contains(found(i), l) {
				r.Properties[l] = checker.Violated
			}
		}
		out = append(out, r)
	}
	return out
}

func each(letters string) func(int) string { return func(int) string { return letters } }

// but is letters each time, except that the first run finds other ones.
func but(first, letters string) func(int) string {
	return func(i int) string {
		if i == 0 {
			return first
		}
		return letters
	}
}

// soaked is a small matrix, token-lua under a pause, run 20 times; change does something to it.
func soaked(t *testing.T, change func(map[string][]matrix.Result)) *Soak {
	t.Helper()
	runs := map[string][]matrix.Result{
		"none":  ran("token-lua", "none", "none", false, 20, each("")),
		"pause": ran("token-lua", "pause", "pause", false, 20, each("S")),
		"short": ran("token-lua", "pause", "pause:short", true, 20, each("")),
	}
	change(runs)
	o := matrix.Options{Rows: []string{"token-lua"}, Columns: []string{"none", "pause"}, Repeat: 20}
	m, err := matrix.New(o, slices.Concat(runs["none"], runs["pause"], runs["short"]))
	if err != nil {
		t.Fatal(err)
	}
	return CountSoak(m)
}

var soakCases = []struct {
	name   string
	change func(map[string][]matrix.Result)
	want   []string // what each contradiction says
}{
	{"as it should be", func(map[string][]matrix.Result) {}, nil},
	{"not found once", func(r map[string][]matrix.Result) {
		r["pause"] = ran("token-lua", "pause", "pause",
			false, 20, but("", "S"))
	},
		[]string{"S was found in 19 of 20 runs of pause"}},
	{"never found", func(r map[string][]matrix.Result) {
		r["pause"] = ran("token-lua", "pause", "pause",
			false, 20, each(""))
	},
		[]string{"S is expected and was found in none of 20 runs"}},
	{"found once where it is safe", func(r map[string][]matrix.Result) {
		r["none"] = ran("token-lua", "none",
			"none", false, 20, but("L", ""))
	},
		[]string{"L is not expected and was found in 1 of 20 runs of none"}},
	{"a letter more", func(r map[string][]matrix.Result) {
		r["pause"] = ran("token-lua", "pause", "pause",
			false, 20, each("SO"))
	},
		[]string{"O is not expected and was found in 20 of 20 runs of pause"}},
	{"a control that finds something", func(r map[string][]matrix.Result) {
		r["short"] = ran("token-lua", "pause", "pause:short", true, 20, but("S", ""))
	},
		[]string{"the control pause:short found something in 1 of 20 runs"}},
}

// TestASoakFailsForEachContradiction plants one of each kind.
func TestASoakFailsForEachContradiction(t *testing.T) {
	for _, c := range soakCases {
		t.Run(c.name, func(t *testing.T) {
			s := soaked(t, c.change)
			got := s.Contradictions()
			for i, w := range c.want {
				if i >= len(got) || !strings.Contains(got[i], w) {
					t.Errorf("want %q, got %q", w, got)
				}
			}
			if len(got) != len(c.want) {
				t.Errorf("%q", got)
			}
			var b bytes.Buffer
			if err := s.Write(&b); err != nil {
				t.Fatal(err)
			}
			back, err := ReadSoak(&b)
			if err != nil || cmp.Diff(s, back) != "" {
				t.Error(err, cmp.Diff(s, back))
			}
		})
	}
}

func TestASoakSaysWhatItCouldNotJudge(t *testing.T) {
	s := soaked(t, func(r map[string][]matrix.Result) {
		r["pause"][3].Stalled = true
		r["pause"][4].HarnessError = "no room"
	})
	if len(s.Contradictions()) > 0 || len(s.Lost) != 1 || s.Lost[0].Runs != 2 {
		t.Errorf("%q, lost %+v", s.Contradictions(), s.Lost)
	}
	var b bytes.Buffer
	if err := s.Text(&b); err != nil || !strings.Contains(b.String(), "S:18/18") ||
		!strings.Contains(b.String(), "not judged: 2 of token-lua under pause") {
		t.Errorf("%v\n%s", err, b.String())
	}
	var p page
	if s.write(&p); !strings.Contains(p.String(), "| token-lua | -20 | S:18/18 |") {
		t.Error(p.String())
	}
}

func TestOnlyChancesMayBeMissed(t *testing.T) {
	if chance("getset-redispy", "pause", "R") == "" || chance("token-lua", "pause", "S") != "" {
		t.Error("only what no gate can make certain may be missed")
	}
}
