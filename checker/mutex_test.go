package checker

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// rounds is the number of random histories of a test: few by default, many with LOCKBENCH_SOAK set.
func rounds(normal, soak int) int {
	switch {
	case os.Getenv("LOCKBENCH_SOAK") != "":
		return soak
	case testing.Short():
		return normal / 10
	}
	return normal
}

func plain(ops []op) bool {
	return porcupine.CheckOperations(mutexModel(), operations(ops))
}

// sliced is porcupine's answer on pieces as small as they can be made.
func sliced(ops []op, minOps int) bool {
	legal := true
	newSlicer(ops, minOps).pieces(func(p []op) bool {
		legal = plain(p)
		return legal
	})
	return legal
}

// agree fails the test if the fast check, porcupine on slices and plain porcupine do not say the
// same.
func agree(t testing.TB, ops []op) (legal bool) {
	t.Helper()
	f, a, b := fastMutex(ops)
	legal = plain(ops)
	small, usual := sliced(ops, 1), ruleMutex(ops, 0).result == porcupine.Ok
	if (f == none) != legal || small != legal || usual != legal {
		t.Fatalf("plain %v, fast %v (%s: %d, %d), smallest slices %v, usual slices %v\n%s", legal,
			f == none, flawWords[f], a, b, small, usual, list(ops))
	}
	if f != none {
		only(t, ops, a, b)
	}
	return legal
}

// only checks that the operations of the two tokens of a witness are illegal by themselves.
func only(t testing.TB, ops []op, a, b int32) {
	t.Helper()
	var w []op
	for _, o := range ops {
		if o.token == a || o.token == b {
			w = append(w, o)
		}
	}
	if plain(w) {
		t.Fatalf("tokens %d and %d are no violation by themselves\n%s", a, b, list(ops))
	}
}

func list(ops []op) string {
	var s strings.Builder
	for i := range ops {
		fmt.Fprintf(&s, "[%d,%d] %s\n", ops[i].call, ops[i].ret, &ops[i])
	}
	return s.String()
}

func TestMutexAgainstPlainPorcupine(t *testing.T) {
	generators := map[string]func(*rand.Rand) []op{
		"arbitrary":  func(r *rand.Rand) []op { return arbitrary(r, 1+r.IntN(9)) },
		"consistent": func(r *rand.Rand) []op { return consistent(r, 1+r.IntN(6)) },
		"simulated": func(r *rand.Rand) []op {
			return simulate(r.Uint64(), 4+r.IntN(40), 2+r.IntN(5),
				0.1, 0)
		},
		"known": func(r *rand.Rand) []op {
			return simulate(r.Uint64(), 4+r.IntN(40), 2+r.IntN(5), 0, r.IntN(2)*r.IntN(9))
		},
		"planted": func(r *rand.Rand) []op {
			return simulate(r.Uint64(), 4+r.IntN(20), 2+r.IntN(5), 0.1,
				1+r.IntN(9))
		},
	}
	for name, make := range generators {
		t.Run(name, func(t *testing.T) {
			legal := 0
			n := rounds(1500, 100_000)
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
	ops := simulate(3, 1000, 10, 0.06, 900)
	f, _, _ := fastMutex(ops)
	r := ruleMutex(ops, 0)
	if f == none || r.result != porcupine.Illegal || len(r.failing) == 0 {
		t.Fatalf("fast %v, porcupine %s, failing slice of %d", f, r.result, len(r.failing))
	}
	t.Logf("%d operations in %d slices, %v", len(ops), r.slices, time.Since(start))
}
