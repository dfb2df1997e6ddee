package verdict

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFormat1 reads what the first version wrote, and what it says of a run that the machine
// disturbed.
func TestFormat1(t *testing.T) {
	const dir = "../../internal/format1/testdata/old/runs"
	for _, c := range []struct {
		run, violated, explanation string
		aimed, hits                int
	}{
		{"getset-failover", "S", "At 0.000 s the link n0>n1 was cut.", 1, 1},
		{"redlock-pause", "S", "Client 3 was granted lock 0 at 0.005 s.", 1, 1},
	} {
		f, err := os.Open(filepath.Join(dir, c.run, "verdict.json"))
		if err != nil {
			t.Fatal(err)
		}
		v, err := Read(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		p := v.Property(c.violated)
		if p.Verdict != Violated || !strings.HasPrefix(p.Explanation, c.explanation) ||
			v.Evidence.Aimed != c.aimed || v.Evidence.Hits != c.hits || v.Format != Format {
			t.Errorf("%s: %+v, %+v", c.run, p, v.Evidence)
		}
		for _, p := range v.Properties {
			if p.Verdict == NA && p.Reason == "" {
				t.Errorf("%s: %s has lost its reason", c.run, p.Property)
			}
		}
	}
	v, err := Read(strings.NewReader(`{"format":1,"verdict":"unknown","broke":"no room","properties":[
		{"property":"S","verdict":"unknown",
		"because":"two clients were inside at once, but the machine stalled for 640 ms"}]}`))
	if err != nil || !v.Property("S").Stalled || v.HarnessError != "no room" {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestWriteAndRead(t *testing.T) {
	v := &Verdict{Format: Format, Verdict: Unknown, HarnessError: "x", Properties: []Property{
		{Property: "S", Verdict: Unknown, Reason: "a stall", Stalled: true},
		{Property: "L", Verdict: Violated, Class: Clock, Explanation: "because", Witness: &Witness{
			Commands: []WitnessCommand{{Kind: LateDelete, Effect: "late"}}}}},
		Evidence: Evidence{Aimed: 2, Hits: 1}}
	var b bytes.Buffer
	if err := v.Write(&b); err != nil {
		t.Fatal(err)
	}
	head, err := ReadHead(b.Bytes())
	want := &Verdict{Format: Format, Verdict: Unknown, HarnessError: "x", Properties: []Property{
		{Property: "S", Verdict: Unknown}, {Property: "L", Verdict: Violated}}}
	if d := cmp.Diff(want, head); d != "" || err != nil {
		t.Errorf("the head, -want +read:\n%s, %v", d, err)
	}
	back, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(v, back); d != "" {
		t.Errorf("-written +read:\n%s", d)
	}
	for _, bad := range []string{"", "{", `{"format":3}`, `{"format":2,"verdict":"fine"}`} {
		if _, err := Read(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
		if _, err := ReadHead([]byte(bad)); err == nil {
			t.Errorf("the head of %q was read", bad)
		}
	}
}

func TestWorse(t *testing.T) {
	order := []Result{NA, Valid, "", Unknown, Violated}
	for i, a := range order {
		for j, b := range order {
			got := Worse(Property{Verdict: a, Reason: "first"}, Property{Verdict: b, Reason: "second"})
			if want := (map[bool]string{true: "second", false: "first"})[j > i]; got.Reason != want {
				t.Errorf("%q and %q: the %s", a, b, got.Reason)
			}
		}
	}
}
