package proc

import (
	"slices"
	"strings"
	"testing"
)

func TestEnviron(t *testing.T) {
	for name, passes := range map[string]bool{
		"TMPDIR": true, "LC_ALL": true, "LOCKBENCH_CLOCK": true,
		"LOCKBENCH_REDIS_PASSWORD": false, "LOCKBENCH_REDIS_USER": false, "AWS_SECRET_ACCESS_KEY": false,
		"REDISCLI_AUTH": false, "LC": false,
	} {
		t.Setenv(name, "x")
		if got := slices.Contains(Environ(), name+"=x"); got != passes {
			t.Errorf("a child is told %s: %v", name, got)
		}
	}
	if !slices.ContainsFunc(Environ(), func(s string) bool { return strings.HasPrefix(s, "PATH=") }) {
		t.Error("a child does not know where programs are")
	}
}
