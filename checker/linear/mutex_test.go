package linear_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker/linear/lineartest"

	"github.com/anishathalye/porcupine"
	"github.com/lockbench/lockbench/checker/linear"
)

// plain is what porcupine says of operations as they are.
func plain(ops []linear.Op) bool {
	return porcupine.CheckOperations(linear.MutexModel(), linear.Operations(ops))
}

// sliced is porcupine's answer on pieces as small as they can be made.
func sliced(ops []linear.Op, minOps int) bool {
	legal := true
	linear.NewSlicer(ops, minOps).Pieces(func(p []linear.Op) bool {
		legal = plain(p)
		return legal
	})
	return legal
}

// agree fails the test if the fast check, porcupine on slices and plain porcupine do not say the
// same.
func agree(t testing.TB, ops []linear.Op) (legal bool) {
	t.Helper()
	f, a, b := linear.FastMutex(ops)
	legal = plain(ops)
	small, usual := sliced(ops, 1), linear.Mutex(ops, 0).Result == porcupine.Ok
	if (f == linear.NoFlaw) != legal || small != legal || usual != legal {
		t.Fatalf("plain %v, fast %v (flaw %d: %d, %d), smallest slices %v, usual slices %v\n%s", legal,
			f == linear.NoFlaw, f, a, b, small, usual, list(ops))
	}
	if f != linear.NoFlaw {
		only(t, ops, a, b)
	}
	return legal
}

// only checks that the operations of the two tokens of a witness are illegal by themselves.
func only(t testing.TB, ops []linear.Op, a, b int32) {
	t.Helper()
	var w []linear.Op
	for _, o := range ops {
		if o.Token == a || o.Token == b {
			w = append(w, o)
		}
	}
	if plain(w) {
		t.Fatalf("tokens %d and %d are no violation by themselves\n%s", a, b, list(ops))
	}
}

func list(ops []linear.Op) string {
	var s strings.Builder
	for i := range ops {
		fmt.Fprintf(&s, "[%d,%d] %s\n", ops[i].Call, ops[i].Ret, &ops[i])
	}
	return s.String()
}

func TestMutexAgainstPlainPorcupine(t *testing.T) {
	generators := map[string]func(*rand.Rand) []linear.Op{
		"arbitrary":  func(r *rand.Rand) []linear.Op { return lineartest.Arbitrary(r, 1+r.IntN(9)) },
		"consistent": func(r *rand.Rand) []linear.Op { return lineartest.Consistent(r, 1+r.IntN(6)) },
		"simulated": func(r *rand.Rand) []linear.Op {
			return lineartest.Simulate(r.Uint64(), 4+r.IntN(40), 2+r.IntN(5),
				0.1, 0)
		},
		"known": func(r *rand.Rand) []linear.Op {
			return lineartest.Simulate(r.Uint64(), 4+r.IntN(40), 2+r.IntN(5), 0, r.IntN(2)*r.IntN(9))
		},
		"planted": func(r *rand.Rand) []linear.Op {
			return lineartest.Simulate(r.Uint64(), 4+r.IntN(20), 2+r.IntN(5), 0.1,
				1+r.IntN(9))
		},
	}
	for name, make := range generators {
		t.Run(name, func(t *testing.T) {
			legal := 0
			n := lineartest.Rounds(1500, 100_000)
			for seed := range n {
				if agree(t, make(rand.New(rand.NewPCG(uint64(seed), 7)))) {
					legal++
				}
			}
			t.Logf("%d histories, %d legal", n, legal)
			if name == "simulated" && legal != n {
				t.Errorf("%d false alarms", n-legal)
			}
		})
	}
}

func TestPlantedViolationAmongUnknowns(t *testing.T) {
	start := time.Now()
	ops := lineartest.Simulate(3, 1000, 10, 0.06, 900)
	f, _, _ := linear.FastMutex(ops)
	r := linear.Mutex(ops, 0)
	if f == linear.NoFlaw || r.Result != porcupine.Illegal || len(r.Failing) == 0 {
		t.Fatalf("fast %v, porcupine %s, failing slice of %d", f, r.Result, len(r.Failing))
	}
	t.Logf("%d operations in %d slices, %v", len(ops), r.Slices, time.Since(start))
}
