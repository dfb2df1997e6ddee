package history

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// agree fails if the scanner reads a line, and not as encoding/json does.
func agree(t interface{ Fatalf(string, ...any) }, line []byte) bool {
	var fast, slow Event
	if !newScanner().event(line, &fast) {
		return false
	}
	if err := json.Unmarshal(line, &slow); err != nil {
		t.Fatalf("%s was read, and is wrong: %v", line, err)
	} else if !reflect.DeepEqual(fast, slow) {
		t.Fatalf("%s was read as\n%+v, it is\n%+v", line, fast, slow)
	}
	return true
}

var usualLines = []string{
	`{"type":"invoke","t":1,"process":0,"f":"acquire","n":1,"key":0}`,
	`{"type":"ok","t":2,"process":0,"f":"acquire","n":1,"key":0,"grant":{"sent":1,"lease":"2s",` +
		`"valid_until":5,"token":7,"node":"n0"}}`,
	`{"type":"fail","t":3,"process":1,"f":"acquire","n":1,"key":0,"err":"x","why":"gave-up"}`,
	`{"type":"ok","t":4,"process":1,"f":"read","n":1,"key":0,"value":-12}`,
	`{"type":"gap","t":5,"process":1,"gap":"25ms"}`,
	`{"type":"ok","t":2,"process":0,"f":"acquire","n":2,"key":0,"depth":1,"grant":{"token":7}}`,
}

// TestUsualLinesAreScanned: otherwise they are read as slowly as before.
func TestUsualLinesAreScanned(t *testing.T) {
	for _, line := range usualLines {
		if !agree(t, []byte(line)) {
			t.Errorf("%s is left to encoding/json", line)
		}
	}
}

// TestUnusualLinesAreLeftToEncodingJSON has what only encoding/json knows the answer to.
func TestUnusualLinesAreLeftToEncodingJSON(t *testing.T) {
	for _, line := range []string{
		``, `{}`, `[]`, `null`, `{"type":"ok"`, `{"type":"ok"}}`, `{"type":"ok"} `, `{ "type":"ok"}`,
		`{"type":"ok",}`, `{"type":"ok","type":"fail"}`, `{"t":1,"type":"ok"}`, `{"TYPE":"ok"}`,
		`{"type":null}`, `{"type":"o\u006b"}`, `{"type":"ök"}`, `{"t":1.0}`, `{"t":01}`, `{"t":-0}`,
		`{"t":-}`, `{"t":}`, `{"t":"1"}`, `{"t":9223372036854775808}`, `{"key":0,"keys":[0,1]}`,
		`{"gap":"soon"}`, `{"grant":null}`, `{"grant":{}}`, `{"type":"end","undone":{"step":1}}`,
	} {
		if newScanner().event([]byte(line), &Event{}) {
			t.Errorf("%s was read", line)
		}
	}
}

// TestScannedEventsAreThoseThatWereWritten: one scanner reads them all, so that words and memory
// of earlier ones are there.
func TestScannedEventsAreThoseThatWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newScanner()
		for _, want := range rapid.SliceOf(rapid.Make[Event]()).Draw(t, "events") {
			var b bytes.Buffer
			if err := newEncoder(&b).Encode(want); err != nil {
				t.Fatal(err)
			}
			line := bytes.TrimSpace(b.Bytes())
			var fast, slow Event
			if !s.event(line, &fast) {
				continue
			}
			if err := json.Unmarshal(line, &slow); err != nil || !reflect.DeepEqual(fast, slow) {
				t.Fatalf("%s was read as %+v, it is %+v (%v)", line, fast, slow, err)
			}
		}
	})
}

func FuzzScan(f *testing.F) {
	for _, line := range usualLines {
		f.Add([]byte(line))
		f.Add(bytes.ReplaceAll([]byte(line), []byte(":"), []byte(": ")))
	}
	f.Fuzz(func(t *testing.T, line []byte) { agree(t, line) })
}
