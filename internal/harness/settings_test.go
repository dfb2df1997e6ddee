package harness

import (
	"strings"
	"testing"
)

// TestAPlanCannotMakeRedisDoHarm names settings with which a file of a stranger would write other
// files, open ports, leave processes behind or load code.
func TestAPlanCannotMakeRedisDoHarm(t *testing.T) {
	for _, bad := range [][]string{
		{"logfile", "/tmp/x"}, {"bind", "0.0.0.0"}, {"daemonize", "yes"}, {"dir", "/tmp"},
		{"unixsocket", "/tmp/s"}, {"loadmodule", "/tmp/x.so"}, {"include", "/tmp/x.conf"},
		{"requirepass", "x"}, {"dbfilename", "x"}, {"appendfilename", "x"}, {"pidfile", "/tmp/x"},
		{"port", "1"}, {"replicaof", "example.com 6379"}, {"aclfile", "/tmp/x"}, {"rename-command", "x"},
		{"enable-debug-command", "yes"}, {"protected-mode", "no"}, {"syslog-enabled", "yes"},
		{"LOGFILE", "/tmp/x"}, {"appendonly yes\nlogfile", "/tmp/x"}, {"", "x"}, {"save"},
		{"save", "--logfile"}, {"save", "1 1\nlogfile /tmp/x"}, {"save", strings.Repeat("1 ", 200)},
		{"hz", "10", "logfile", "/tmp/x"},
	} {
		p, err := NewPlan(RunOptions{Impl: "token-lua", Nemesis: "none", RedisConfig: bad})
		if err == nil {
			t.Errorf("%q is taken", bad)
		} else if s := err.Error(); strings.Contains(s, "\n") || len(s) > 4000 {
			t.Errorf("%q: %s", bad, s)
		}
		if p.RedisConfig = bad; p.Validate() == nil {
			t.Errorf("%q is taken in a plan.json", bad)
		}
	}
	good := []string{"appendonly", "yes", "appendfsync", "always", "maxmemory", "10mb", "save", "60 1",
		"hz", "10", "min-replicas-to-write", "1", "save", ""}
	if _, err := NewPlan(RunOptions{Impl: "token-lua", Nemesis: "none",
		RedisConfig: good}); err != nil {
		t.Error(err)
	}
}

// TestALibraryIsToldNoRetries: zero retries are told, and nothing is told if the user says nothing.
func TestALibraryIsToldNoRetries(t *testing.T) {
	for _, given := range []*int{nil, new(0), new(2)} {
		p, err := NewPlan(RunOptions{Adapter: "redis-py", Nemesis: "none", ClientRetries: given})
		if err != nil {
			t.Fatal(err)
		}
		if told := p.Worker().ClientRetries; (told == nil) != (given == nil) ||
			told != nil && *told != *given {
			t.Errorf("told %v, given %v", told, given)
		}
	}
}
