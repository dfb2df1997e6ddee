package testenv

import (
	"runtime"
	"strings"
)

// Large is the size of a test's input: the small one with the race detector, which makes everything
// some six times slower and sees enough in it. It panics outside of files whose names end in
// large_test.go: `make test` runs the tests of these a second time, without the detector.
func Large(large, small int) int {
	if _, file, _, _ := runtime.Caller(1); !strings.HasSuffix(file, "large_test.go") {
		panic(file + ": only in a *large_test.go is the large input tested, too")
	}
	if Race {
		return small
	}
	return large
}
