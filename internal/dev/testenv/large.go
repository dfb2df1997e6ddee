package testenv

import "testing"

// Large returns the size of a test's input: the small one with -short, and with the race detector,
// which makes everything some six times slower and sees enough in it. `make test` runs the packages
// of LARGE in the Makefile a second time, without the detector.
func Large(large, small int) int {
	if Race || testing.Short() {
		return small
	}
	return large
}

// SkipRace skips a test with -short and with the race detector, because the test is not about
// goroutines. Other tests run its concurrent code with the detector.
func SkipRace(t testing.TB) {
	t.Helper()
	switch {
	case Race:
		t.Skip("it is run without the race detector")
	case testing.Short():
		t.Skip("it takes long")
	}
}
