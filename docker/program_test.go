package docker

import (
	"os"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// TestWhereThisProgramIsOfAnotherKind is a lockbench on macOS: it cannot be mounted in containers,
// so that another has to be named or built in.
func TestWhereThisProgramIsOfAnotherKind(t *testing.T) {
	testenv.Part(t, "bridge")
	l := open(t, Options{Network: Bridge})
	l.daemon.arch = "s390x"
	_, err := l.Remote()
	demand(t, err, "LOCKBENCH_LINUX", "GOOS=linux GOARCH=s390x CGO_ENABLED=0 go build", DefaultImage)
	if left := containers(t, l.owner.run); len(left) > 0 {
		t.Errorf("%v are left of remote proxies that could not be", left)
	}
	t.Setenv(programEnv, "/nowhere/lockbench")
	_, err = l.Remote()
	demand(t, err, "LOCKBENCH_LINUX must name a lockbench for Linux", "/nowhere/lockbench")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(programEnv, self)
	s, err := l.Remote()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.End(); err != nil {
		t.Error(err)
	}
}
