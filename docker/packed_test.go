package docker

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/env/cluster/system"
)

// find is a system of this name.
func find(t *testing.T, name string) server.Kind {
	t.Helper()
	kind, err := system.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return kind
}

// TestEverySystemRunsAndComesBack starts a server of each in a container, asks its version beside
// it, pauses it, kills it and starts it again with what it left behind.
func TestEverySystemRunsAndComesBack(t *testing.T) {
	testenv.Part(t, "docker")
	if _, err := ImageID(t.Context(), SystemsImage); err != nil {
		if testenv.Required("docker") {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	for _, name := range system.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind := find(t, name)
			if err := Ready(t.Context(), Options{System: kind}); err != nil {
				t.Fatal(err)
			}
			l := open(t, Options{System: kind})
			folder, err := server.Scratch()
			if err != nil {
				t.Fatal(err)
			}
			defer folder.Close()
			c := somewhere()
			c.Name, c.Kind, c.Dir = "n0", kind, filepath.Join(folder.Path, "n0")
			c.Log = filepath.Join(t.TempDir(), "log")
			for range 2 {
				lives(t, l, c)
			}
			front, ok := server.FrontOf(c)
			if ok {
				lives(t, l, front)
			}
		})
	}
}

// lives starts a server, asks its version, pauses it for a moment and kills it.
func lives(t *testing.T, l *Launcher, c server.NodeConfig) {
	t.Helper()
	s, err := l.Launch(c)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Kill()
	if err := s.Ready(); err != nil {
		log, _ := os.ReadFile(c.Log)
		t.Fatalf("%v\n%s", err, log)
	}
	s.(packedServer).Settle(&c)
	if from, err := c.Programs().Edition("sh"); err != nil || !strings.HasPrefix(from, "sha256-") {
		t.Errorf("it would be asked by a program that is from %s, %v", from, err)
	}
	o := c.Kind.Operator(c)
	defer o.Close()
	if v, err := o.Version(); err != nil || v == "" || strings.ContainsAny(v, " -\n") {
		t.Errorf("its version is %q, %v", v, err)
	}
	if s.(packedServer).Pid() == 0 {
		t.Error("it is no process of this machine")
	}
	if err := s.Pause(); err != nil || !s.Stopped() {
		t.Fatal("it is not paused", err)
	}
	if err := s.Resume(); err != nil { // the daemon may believe for a moment that it is still paused
		t.Fatal(err)
	}
}

// TestWhereSystemsCannotBe is refused before anything starts, with what to do.
func TestWhereSystemsCannotBe(t *testing.T) {
	testenv.Part(t, "docker")
	kind := find(t, "etcd")
	demand(t, Ready(t.Context(), Options{System: kind, Network: Bridge}), "--docker-network host")
	other := "lockbench/other:test"
	if out, err := exec.Command("docker", "tag", DefaultImage, other).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("docker", "rmi", other).Run() })
	demand(t, Ready(t.Context(), Options{System: kind, Image: other}), other+" has no etcd",
		"docker/base-image "+SystemsImage)
}

// TestASystemsImageThatIsMissing is named with the command that makes it, and so is a daemon whose
// network is not this machine's.
func TestASystemsImageThatIsMissing(t *testing.T) {
	pretend(t, "1.46", current)
	_, err := ImageID(t.Context(), SystemsImage)
	demand(t, err, "the image "+SystemsImage+" is missing", "`docker/base-image "+SystemsImage+"`")
	demand(t, Ready(t.Context(), Options{System: find(t, "etcd")}), "may be on another machine")
}
