package testenv

import "testing"

// TestTwiceIsOnlyForLargeTests: a test that is in no *large_test.go would never be run without the
// race detector.
func TestTwiceIsOnlyForLargeTests(t *testing.T) {
	if n := Large(2, 1); n < 1 || n > 2 {
		t.Error(n)
	}
	defer func() {
		if recover() == nil {
			t.Error("a file of another name may use it")
		}
	}()
	elsewhere()
}
