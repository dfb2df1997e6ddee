package worker

import (
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

func TestWhoIsAWorker(t *testing.T) {
	if IsOne() {
		t.Fatal("a test is no worker")
	}
	for _, e := range Env() {
		k, v, _ := strings.Cut(e, "=")
		t.Setenv(k, v)
	}
	if !IsOne() {
		t.Error("a process with the environment of a worker is none")
	}
}
