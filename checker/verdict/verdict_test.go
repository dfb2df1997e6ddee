package verdict

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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

// TestAnotherFormatIsRefused wants one line that says which format the file has.
func TestAnotherFormatIsRefused(t *testing.T) {
	for text, want := range map[string]string{`{}`: "no format", `{"format":1}`: "format 1",
		`{"format":3}`: "format 3"} {
		_, err := Read(strings.NewReader(text))
		want = "it has " + want + "; this lockbench reads format 2"
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
}

// TestAnOldClassHasItsPresentName reads a class under the name that it had before.
func TestAnOldClassHasItsPresentName(t *testing.T) {
	v, err := Read(strings.NewReader(
		`{"format":2,"properties":[{"property":"S","class":"lost by failover"},{"class":"clock"}]}`))
	if err != nil || v.Properties[0].Class != LostByServer || v.Properties[1].Class != Clock {
		t.Errorf("read %+v, %v", v, err)
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
