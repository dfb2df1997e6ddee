package docker

import "testing"

// TestAJanitorStartsNoContainers: a test program that does not know that it is one would run all
// its tests, whose janitors would do the same.
func TestAJanitorStartsNoContainers(t *testing.T) {
	t.Setenv(janitorEnv, "run")
	if j, err := startJanitor(newOwner()); err == nil {
		j.stop()
		t.Error("a janitor has started another one")
	}
}
