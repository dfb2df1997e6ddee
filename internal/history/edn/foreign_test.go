package edn_test

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/history/edn"
)

// TestFormatsThatAreNotReadAreNamed: each with what to do.
func TestFormatsThatAreNotReadAreNamed(t *testing.T) {
	for _, c := range []struct{ name, text, why string }{
		{"history.txt", "0    :invoke :acquire    nil\n", "Jepsen's; use the history.edn"},
		{"history.txt of a nemesis", ":nemesis\t:info\t:start\tnil\n", "history.txt of Jepsen's"},
		{"a log of Jepsen's", "INFO  jepsen.util - 0\t:invoke\t:read\tnil\n",
			"use the test's history.edn"},
		{"a log of a later Jepsen",
			"2026-01-02 10:00:00,123{GMT}\tINFO\t[jepsen worker 0] jepsen.util: 0\t:invoke",
			"use the test's history.edn"},
		{"a trace of P", "<CreateLog> Client(3) was created\n", "P's checker"},
		{"a trace of P as JSON", `[{"type":"CreateStateMachine","details":{"id":"Client(3)"}}]`, "P's checker"},
		{"transactions of elle", "{:type :invoke :process 0 :f :txn :value [[:append 1 2]]}",
			"transactions, as elle has them"},
		{"transactions of elle as JSON",
			`[{"type":"invoke","process":0,"f":"txn","value":[["append",1,2]],"index":0}]`,
			"transactions, as elle has them"},
		{"the log of a service", "2026-11-25T10:00:00Z client=3 BEGIN lock", "--lines FILE"},
		{"an unknown function", "{:type :invoke :process 0 :f :drain}\n{:type :ok :process 0 :f :drain}",
			`no model knows the operations "drain" (2 events)`},
		{"two unknown functions",
			"{:type :invoke :process 0 :f :put :value 1}\n{:type :ok :process 0 :f :put :value 1}" +
				"{:type :invoke :process 0 :f :get}", `"get" (1 events), "put" (2 events)`},
		{"keys as pairs", "{:type :invoke :process 0 :f :acquire :value [1 nil]}", "add --independent"},
		{"keys as pairs, and cas", "{:type :invoke :process 0 :f :read :value [1 nil]}\n" +
			"{:type :invoke :process 1 :f :cas :value [1 [2 3]]}", "add --independent"},
		{"a cas of one value", "{:type :invoke :process 0 :f :cas :value 3}",
			"a cas needs :value [old new]"},
		{"JSON that is cut short", `[{"type":"invoke","process":0,"f":"acquire"},` + "\n" + `{"type":`,
			"line 2: not JSON of Jepsen's: the text ends"},
	} {
		_, err := edn.ReadAny(strings.NewReader(c.text), edn.Options{})
		if err == nil || !strings.Contains(err.Error(), c.why) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q", c.name, err, c.why)
		}
	}
}

// TestJSONIsReadAsEDN compares what is read of one history in both formats.
func TestJSONIsReadAsEDN(t *testing.T) {
	for _, c := range []struct{ name, edn, json string }{
		{"a lock", "{:type :invoke :f :acquire :process 0 :time 5 :index 0}\n" +
			`{:type :ok :f :acquire :process 0 :time 7 :value {:client "a" :fence 3} :index 1}` +
			"{:type :info :f :start :process :nemesis :value nil :index 2}" +
			"{:type :invoke :f :refresh :process 0 :time 9 :index 3}",
			`[{"type":"invoke","f":"acquire","process":0,"time":5,"index":0},
			{"type":"ok","f":"acquire","process":0,"time":7,"value":{"client":"a","fence":3},"index":1},
			{"type":"info","f":"start","process":"nemesis","value":null,"index":2},
			{"type":"invoke","f":"refresh","process":0,"time":9,"index":3}]`},
		{"a register", "{:type :invoke :f :cas :process 0 :value [1 2]}\n" +
			"{:type :fail :f :cas :process 0 :value [1 2]}{:type :invoke :f :read :process 0}" +
			"{:type :ok :f :read :process 0 :value nil}" +
			"{:type :invoke :f :write :process 1 :value 3}" +
			"{:type :info :f :write :process 1 :value :timed-out}",
			`{"process":0,"type":":invoke","f":":cas","value":[1,2]}
			{"process":0,"type":":fail","f":":cas","value":[1,2]}
			{"process":0,"type":"invoke","f":"read","value":null}
			{"process":0,"type":"ok","f":"read","value":null}
			{"process":1,"type":"invoke","f":"write","value":3}
			{"process":1,"type":"info","f":"write","value":":timed-out"}`},
		{"several registers", "{:type :invoke :f :write :process 0 :key 4 :value 1}" +
			"{:type :ok :f :write :process 0 :key 4 :value 1}{:type :invoke :f :read :process 0 :key :x}",
			`{"type":"invoke","f":"write","process":0,"key":4,"value":1}
			{"type":"ok","f":"write","process":0,"key":4,"value":1}
			{"type":"invoke","f":"read","process":0,"key":"x"}`},
	} {
		a, errA := edn.ReadAny(strings.NewReader(c.edn), edn.Options{})
		b, errB := edn.ReadAny(strings.NewReader(c.json), edn.Options{})
		if errA != nil || errB != nil || eventLines(a) != eventLines(b) {
			t.Errorf("%s: %v, %v\n%s\n%s", c.name, errA, errB, eventLines(a), eventLines(b))
		}
	}
}

// TestWordsSayWhatOperationsMean: and leave out what they say to leave out.
func TestWordsSayWhatOperationsMean(t *testing.T) {
	text := "{:type :invoke :f :put :process 0 :value 3}\n{:type :ok :f :put :process 0 :value 3}\n" +
		"{:type :invoke :f :drain :process 1}\n{:type :ok :f :drain :process 1}"
	h, err := edn.ReadAny(strings.NewReader(text),
		edn.Options{Words: map[string]string{"put": "write", "drain": edn.NoOperation}})
	if err != nil || len(h.Events) != 3 || h.Events[0].F != history.WriteOp ||
		*h.Events[0].Value != 3 {
		t.Errorf("%v\n%s", err, eventLines(h))
	}
}

// TestLinesOfALog are read by the file that docs/formats.md has as its second example.
func TestLinesOfALog(t *testing.T) {
	const file = `line: '^(?P<time>\S+) client=(?P<process>\d+) (?P<type>\w+) (?P<f>\w+) key=(?P<key>\S+)$'
skip: ' (DEBUG|HEARTBEAT) '
unit: 1ms
words: {BEGIN: invoke, DONE: ok, REFUSED: fail, TIMEOUT: info}
`
	lines, err := edn.ReadLines("log.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	h, err := edn.ReadAny(strings.NewReader("2026-11-25T10:00:00.100Z client=3 BEGIN lock key=7\n"+
		"10:00 DEBUG nothing\n\n2026-11-25T10:00:00.350Z client=3 DONE lock key=7\n"),
		edn.Options{Lines: lines})
	if err != nil || len(h.Events) != 3 {
		t.Fatal(err, eventLines(h))
	}
	if e := h.Events[1]; e.F != history.Acquire || e.Type != history.OK || e.KeyOf() != 7 ||
		e.T-h.Events[0].T < 200e6 {
		t.Error(eventLines(h))
	}
	for text, why := range map[string]string{
		"12 client=3 BEGIN lock key=7\nwhat is this?":                "line 2: neither line nor skip",
		"12 client=3 BEGIN lock key=7\n12 client=3 MAYBE lock key=7": `unknown type "MAYBE"`,
		"later client=3 BEGIN lock key=7":                            `the time "later" is neither`,
	} {
		_, err := edn.ReadAny(strings.NewReader(text), edn.Options{Lines: lines})
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %q", text, err, why)
		}
	}
	for text, why := range map[string]string{
		`line: '(?P<type>x)'`: "line needs the group (?P<f>",
		`line: '('`:           "log.yaml: line: ",
		`line: '(?P<type>)(?P<f>)(?P<process>)(?P<node>)'`: `unknown group "node"`,
		`lines: x`: `unknown field "lines"`,
	} {
		if _, err := edn.ReadLines("log.yaml", []byte(text)); err == nil ||
			!strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %q", text, err, why)
		}
	}
}
