package history

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// late is a history whose client reports a release only after what its other threads saw.
func late(t *testing.T, bound Duration, draw *rand.Rand) string {
	t.Helper()
	var out bytes.Buffer
	r, err := NewRecorder(&out, Header{Late: bound})
	if err != nil {
		t.Fatal(err)
	}
	at := int64(0)
	for n := 1; n <= 20; n++ {
		at += 1000
		for _, e := range []Event{
			{Type: Invoke, F: Acquire, N: n, T: at},
			{Type: OK, F: Acquire, N: n, T: at + 100},
			{Type: Lost, N: n, T: at + 500 + draw.Int64N(400)},
			{Type: Gap, T: at + 500 + draw.Int64N(400), Gap: 5},
			{Type: Invoke, F: Release, N: n, T: at + 200 + draw.Int64N(300)},
			{Type: OK, F: Release, N: n, T: at + 900},
		} {
			if err := r.Record(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out.String()
}

// TestLateLinesAreSortedWhenRead compares both ways to read a history with late lines.
func TestLateLinesAreSortedWhenRead(t *testing.T) {
	text := late(t, Duration(time.Microsecond), rand.New(rand.NewPCG(1, 2)))
	h, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var streamed []Event
	err = Stream(strings.NewReader(text), func(Header) {}, func(e *Event) bool {
		streamed = append(streamed, *e)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	stamps := func(es []Event) (out []int64) {
		for _, e := range es {
			out = append(out, e.T)
		}
		return out
	}
	if got, want := stamps(streamed), stamps(h.Events); !slices.IsSorted(got) ||
		!slices.Equal(got, want) {
		t.Errorf("the stream has %v, the whole %v", got, want)
	}
}

// TestALineThatIsTooLateIsRefused: what the header does not allow is no history.
func TestALineThatIsTooLateIsRefused(t *testing.T) {
	v := NewValidator()
	v.Allow(100)
	for _, e := range []Event{{Type: Invoke, F: Acquire, N: 1, T: 10}, {Type: Lost, N: 1, T: 200}} {
		if err := v.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := v.Add(Event{Type: OK, F: Acquire, N: 1, T: 100}); err != nil {
		t.Errorf("a line that is 100 ns late: %v", err)
	}
	if v.Add(Event{Type: Lost, N: 1, T: 99}) == nil {
		t.Error("a line that is 101 ns late is taken")
	}
	if v.Add(Event{Type: Invoke, F: Release, N: 1, T: 99}) == nil {
		t.Error("a call is taken that was called before the last one returned")
	}
}
