package reports

import (
	"bytes"
	"strings"
	"testing"
)

func render(t testing.TB, r Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteHTML(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPageAnswersFirst(t *testing.T) {
	page := render(t, newRun(t, scene{clients: 4, cycles: 14, fail: true, plan: `{"format":1,"seed":42}`}))
	last := -1
	for _, want := range []string{
		"Can two clients hold the lock getset at once when the master fails over?", "<strong class=\"violated\">Yes.</strong>", "were both inside lock 0 for",
		"What was tried", "Timeline, to scale", "What happened: lost by failover", "The Redis commands of the clients involved", "SETNX", "Latency of acquire over time",
		"Hold chart", "What the lock declares", "lockbench run --impl getset --nemesis failover --seed 42", "7.0.15", "Plan",
	} {
		at := strings.Index(page[last+1:], want)
		if at < 0 {
			t.Fatalf("%q is missing, or comes before what it should follow", want)
		}
		last += 1 + at
	}
}
