package history

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// TestLinesAreWhatEncodingJSONWrites also fails for a field that the writer does not know.
func TestLinesAreWhatEncodingJSONWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, c := rapid.Make[Event]().Draw(t, "event"), rapid.Make[Command]().Draw(t, "command")
		var l line
		e.write(&l)
		same(t, e, &l)
		c.write(&l)
		same(t, c, &l)
	})
}

// same flushes the line and compares.
func same(t *rapid.T, v any, l *line) {
	var got, want bytes.Buffer
	if err := l.flush(&got); err != nil {
		t.Fatal(err)
	}
	if err := newEncoder(&want).Encode(v); err != nil {
		t.Fatal(err)
	}
	if got.String() != want.String() {
		t.Fatalf("got  %swant %s", &got, &want)
	}
}
