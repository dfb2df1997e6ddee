package testenv

import (
	"runtime"
	"strings"
	"testing"
)

// Large is the size of a test's input: the small one with the race detector, which makes everything
// some six times slower and sees enough in it. It panics outside of files whose names end in
// large_test.go: `make test` runs the tests of these a second time, without the detector.
func Large(large, small int) int {
	runsTwice()
	if Race {
		return small
	}
	return large
}

// Once skips a test under the race detector, because the test is not about goroutines. Other tests
// run its concurrent code with the detector. Once panics in the same cases as Large.
func Once(t testing.TB) {
	t.Helper()
	runsTwice()
	if Race {
		t.Skip("it is run without the race detector")
	}
}

// runsTwice panics unless the caller of its caller is in a file whose tests `make test` runs both
// with and without the detector.
func runsTwice() {
	if _, file, _, _ := runtime.Caller(2); !strings.HasSuffix(file, "large_test.go") {
		panic(file + ": only the tests of a *large_test.go are run without the race detector, too")
	}
}
