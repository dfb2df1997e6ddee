//go:build unix

package docker

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestNoPermission asks as a user who may not use the socket. Root may use each socket, so the test
// becomes another user.
func TestNoPermission(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "docker.sock")
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if err := os.Chmod(socket, 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(readable(t, dir))
	c.Env = append(os.Environ(), askEnv+"=1", "DOCKER_HOST=unix://"+socket)
	c.SysProcAttr = &syscall.SysProcAttr{}
	const unprivileged = 65534
	if os.Getuid() == 0 {
		c.SysProcAttr.Credential = &syscall.Credential{Uid: unprivileged, Gid: unprivileged}
	} else if err := os.Chmod(socket, 0); err != nil {
		t.Fatal(err)
	}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	demand(t, fmt.Errorf("%s", out), "no permission to use Docker", "usermod -aG docker")
}

// readable is a copy of this program that every user may start.
func readable(t *testing.T, dir string) string {
	t.Helper()
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "asker")
	if err := os.WriteFile(name, program, 0o755); err != nil {
		t.Fatal(err)
	}
	parent := filepath.Dir(dir) // of t.TempDir, closed to others
	if err := os.Chmod(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}
