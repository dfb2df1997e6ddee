package linear_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/lockbench/lockbench/checker/linear"
	"github.com/lockbench/lockbench/checker/linear/lineartest"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// TestFastRegisterAgainstPorcupine compares the check without search with porcupine on sections of
// all sorts: what it decides, porcupine decides alike, and where values do not return it decides.
func TestFastRegisterAgainstPorcupine(t *testing.T) {
	for name, kind := range map[string]func(*rand.Rand) []linear.Section{
		"arbitrary": func(r *rand.Rand) []linear.Section { return arbitrary(r, false) },
		"register":  func(r *rand.Rand) []linear.Section { return arbitrary(r, true) },
		"simulated": simulatedSections,
		"counter":   counted,
	} {
		t.Run(name, func(t *testing.T) {
			legal, decided := 0, 0
			n := lineartest.Rounds(5000, 500_000)
			for seed := range n {
				ss := kind(rand.New(rand.NewPCG(uint64(seed), 41)))
				want := linear.Register(ss, 0).Result == porcupine.Ok
				bad, exact := linear.FastRegister(ss)
				if exact && (bad == nil) != want {
					t.Fatalf("seed %d: without search %v, porcupine %v\n%s", seed, bad == nil, want,
						tellSections(ss))
				}
				if want {
					legal++
				}
				if exact {
					decided++
				}
			}
			t.Logf("%d of %d legal, %d decided without search", legal, n, decided)
			if legal < n/20 || legal > n-n/20 || decided < n/2 {
				t.Errorf("%d of %d legal, %d decided: the histories say little", legal, n, decided)
			}
		})
	}
}

func tellSections(ss []linear.Section) (out string) {
	for _, s := range ss {
		out += fmt.Sprintf("[%d, %d] read %d, wrote %d, %s\n", s.From, s.To, s.Read, s.Wrote, s.Outcome)
	}
	return out
}

// arbitrary makes sections with few values that are written once each; those of a register read or
// write, and do not both.
func arbitrary(r *rand.Rand, single bool) []linear.Section {
	ss := make([]linear.Section, 1+r.IntN(6))
	written := r.Perm(len(ss))
	some := func() int64 { return int64(r.IntN(len(ss)+1)) - int64(r.IntN(8)/7) }
	for i := range ss {
		s := &ss[i]
		s.Process, s.From = i, r.Int64N(12)
		s.To = s.From + r.Int64N(8)
		s.Read, s.Wrote, s.Outcome = some(), int64(written[i]), history.OK
		switch k := r.IntN(6); {
		case k < 2:
			s.Outcome = history.Fail
		case k < 4 || single:
			s.Read = linear.Anything
		}
		if s.Outcome == history.OK && r.IntN(5) == 0 {
			s.Outcome, s.To = history.Info, record.Forever
		}
	}
	return ss
}

// simulatedSections lets clients take turns on a register, and sometimes reads one value wrongly.
func simulatedSections(r *rand.Rand) []linear.Section {
	now, value := int64(0), int64(0)
	var ss []linear.Section
	for i := range 2 + r.IntN(9) {
		now += r.Int64N(4)
		s := linear.Section{Process: i, From: now - r.Int64N(6), To: now + r.Int64N(6), Read: value,
			Wrote: int64(i + 1), Outcome: history.OK}
		switch r.IntN(6) {
		case 0, 1:
			s.Outcome = history.Fail
		case 2, 3:
			s.Read, value = linear.Anything, s.Wrote
		case 4:
			value = s.Wrote
		default:
			s.Outcome, s.To = history.Info, record.Forever
			if r.IntN(2) == 0 {
				value = s.Wrote
			}
		}
		ss = append(ss, s)
	}
	if r.IntN(2) == 0 {
		ss[r.IntN(len(ss))].Read = r.Int64N(int64(len(ss)))
	}
	r.Shuffle(len(ss), func(i, j int) { ss[i], ss[j] = ss[j], ss[i] })
	return ss
}

// counted lets clients count, now and then upon a value that is not the latest any more.
func counted(r *rand.Rand) []linear.Section {
	now, value := int64(0), r.Int64N(3)
	var ss []linear.Section
	for i := range 2 + r.IntN(9) {
		now += r.Int64N(4)
		s := linear.Section{Process: i, From: now - r.Int64N(6), To: now + r.Int64N(6), Read: value,
			Wrote: value + 1, Outcome: history.OK}
		switch r.IntN(8) {
		case 0:
			s.Outcome = history.Fail
		case 1, 2:
			s.Outcome, s.To = history.Info, record.Forever
			if r.IntN(2) == 0 {
				value++
			}
		case 3:
			if r.IntN(2) == 0 {
				s.Read, s.Wrote = max(0, value-1), max(0, value-1)+1
			}
			fallthrough
		default:
			value++
		}
		ss = append(ss, s)
	}
	r.Shuffle(len(ss), func(i, j int) { ss[i], ss[j] = ss[j], ss[i] })
	return ss
}

// TestRegisterBeyondPorcupine plants one lost update, and one stale read, at the end of a history
// that is too long for porcupine.
func TestRegisterBeyondPorcupine(t *testing.T) {
	const n = 200_000
	count, single := make([]linear.Section, n), make([]linear.Section, n)
	for i := range count {
		at := int64(10 * i)
		count[i] = linear.Section{From: at, To: at + 25, Read: int64(i), Wrote: int64(i + 1),
			Outcome: history.OK}
		single[i] = linear.Section{From: at, To: at + 25, Read: linear.Anything, Wrote: int64(i),
			Outcome: history.OK}
		if i%2 == 1 {
			single[i] = linear.Section{From: at, To: at + 15, Read: int64(i - 1), Outcome: history.Fail}
		}
		if i%20 == 10 {
			count[i].Outcome, count[i].To = history.Info, record.Forever
		}
	}
	for name, ss := range map[string][]linear.Section{"counter": count, "register": single} {
		if bad, exact := linear.FastRegister(ss); bad != nil || !exact {
			t.Errorf("%s: %+v, exact %v", name, bad, exact)
		}
		ss := slices.Clone(ss)
		ss[n-1].Read -= 8
		if ss[n-1].Outcome == history.OK {
			ss[n-1].Wrote -= 8
		}
		if bad, exact := linear.FastRegister(ss); bad == nil || !exact {
			t.Errorf("%s with a stale read at its end: %+v, exact %v", name, bad, exact)
		}
	}
}
