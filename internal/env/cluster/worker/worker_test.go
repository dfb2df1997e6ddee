package worker

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestAWorkerRefusesNonsense(t *testing.T) {
	for in, says := range map[string]string{
		"":            "",
		"hello\n":     `"failed":"the first order`,
		`{"do":"go"}`: `"failed":"the first order is \"go\"; it must be \"config\""`,
		`{"do":"config","config":{"impl":"getsett"}}`: `unknown lock \"getsett\"`,
	} {
		var out strings.Builder
		code := Main(strings.NewReader(in), &out)
		if !strings.Contains(out.String(), says) || (code == 0) != (says == "") {
			t.Errorf("%s: said %s, exit code %d", in, out.String(), code)
		}
	}
}

// TestAProcessThatIsAWorkerDoesNothingElse: of the program that has this package, here the tests.
func TestAProcessThatIsAWorkerDoesNothingElse(t *testing.T) {
	c := exec.Command(os.Args[0])
	c.Env = Env()
	c.Stdin = strings.NewReader("hello\n")
	out, err := c.Output()
	if err == nil || !strings.HasPrefix(string(out), `{"failed":"the first order`) ||
		strings.Count(string(out), "\n") != 1 {
		t.Errorf("it said %s and ended with %v", out, err)
	}
}
