package proc

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
)

// TestNoChildReadsTheEnvironmentOfItsParent starts this test again with a password, which hides it
// and has a child look for it.
func TestNoChildReadsTheEnvironmentOfItsParent(t *testing.T) {
	const name, password = "HIDDEN_PASSWORD", "correct-horse"
	if os.Getenv(name) == "" {
		c := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
		c.Env = append(os.Environ(), name+"="+password)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return
	}
	if err := HideEnviron(); err != nil {
		t.Fatal(err)
	}
	if os.Getenv(name) != password {
		t.Error("this process has lost its own environment")
	}
	look := exec.Command("sh", "-c", "cat /proc/$PPID/environ")
	look.Env = Environ()
	seen, err := look.Output()
	if err != nil || bytes.Contains(seen, []byte(password)) {
		t.Errorf("a child sees %.100q (%v)", seen, err)
	}
	if path := "PATH=" + os.Getenv("PATH"); !bytes.Contains(seen, []byte(path)) {
		t.Errorf("a child gets %s, and does not see it in %.100q", path, seen)
	}
}
