package checker

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/checker/linear/lineartest"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history/edn"
)

var update = flag.Bool("update", false, "write the golden files")

// goldenCases are verdicts as a person reads them.
var goldenCases = []struct{ name, story, trace string }{
	{"overrun", `lease; ttl 2000000000; requires contended=1 strikes=1; expect S
c3 acquire 100000000 204000000 sent=203000000 lease=1001000000 node=n0
c1 acquire 150000000 1207000000 sent=1206000000 lease=2000000000 node=n0
fault pause c3 300000000 1700000000 strike
c3 gap 1700000000 gap=1400000000
c3 release 1731000000 1732000000 fail err=not_the_owner
c1 release 1900000000 1901000000`,
		`3 1 203000000 203500000 n0 SET lock:0 a NX PX 1001 -> OK
1 1 204000000 204500000 n0 SET lock:0 b NX PX 2000 -> (nil)
1 1 1206000000 1206500000 n0 SET lock:0 b NX PX 2000 -> OK
3 1 1731100000 1731500000 n0 EVAL if.. 1 lock:0 a -> 0
1 1 1900100000 1900500000 n0 EVAL if.. 1 lock:0 b -> 1`},
	{"failover", `lease; ttl 2000000000; requires contended=1 strikes=1 failover; expect S,L
c0 acquire 10000000 61000000 sent=60000000 lease=2000000000 node=n0
c2 acquire 20000000 97000000 sent=96000000 lease=2000000000 node=n1
fault cut n0>n1 5000000
fault kill n0 70000000 90000000 strike lasted
fault promote n1 80000000 85000000
c0 release 261000000 262000000 info err=i/o_timeout
c2 release 297000000 298000000`,
		`0 1 60000000 60500000 n0 SETNX lock:0 1 -> 1
2 1 61000000 61500000 n0 SETNX lock:0 2 -> 0
2 1 96000000 96500000 n1 SETNX lock:0 2 -> 1
0 1 261000000 0 n0 DEL lock:0 ->
2 1 297000000 297500000 n1 DEL lock:0 -> 1`},
	{"foreign-delete", `lease; ttl 1000000000
c0 acquire 10000000 20000000 sent=11000000 lease=1000000000 node=n0
c1 acquire 30000000 1050000000 sent=1049000000 lease=1000000000 node=n0
c0 release 1100000000 1110000000
c2 acquire 40000000 1150000000 sent=1149000000 lease=1000000000 node=n0
c1 release 1400000000 1410000000
c2 release 1500000000 1510000000`,
		`0 1 11000000 12000000 n0 SET lock:0 x NX PX 1000 -> OK
1 1 1049000000 1049500000 n0 SET lock:0 x NX PX 1000 -> OK
0 1 1101000000 1102000000 n0 DEL lock:0 -> 1
2 1 1149000000 1149500000 n0 SET lock:0 x NX PX 1000 -> OK
1 1 1401000000 1402000000 n0 DEL lock:0 -> 1
2 1 1501000000 1502000000 n0 DEL lock:0 -> 0`},
	{"valid",
		"lease; ttl 100; requires contended=2; c0 acquire 1 5 sent=2 lease=100; c1 acquire 6 30 " +
			"sent=28 lease=100; c0 release 20 25; c0 acquire 26 50 sent=48 lease=100; c1 release 40 41; " +
			"c0 release 60 61",
		"0 1 2 3 n0 SETNX k a -> 1\n0 1 21 22 n0 DEL k -> 1\n1 1 28 29 n0 SETNX k b -> 1\n1 1 40 41 n0 " +
			"DEL k -> 1\n0 2 48 49 n0 SETNX k c -> 1"},
	{"vacuous",
		"lease; ttl 100; requires contended=5 strikes=1 failover; c0 acquire 1 5 sent=2 lease=100; c0 " +
			"release 20 25", ""},
}

func TestGoldenVerdicts(t *testing.T) {
	for _, c := range goldenCases {
		t.Run(c.name, func(t *testing.T) {
			v := Check(story(t, c.story), commands(t, c.trace), Options{Properties: []string{"S", "L", "O"}})
			v.Porcupine.Took, v.Porcupine.Version = 0, "v0"
			golden(t, c.name+".json", v)
			if _, ok := v.Visual(); ok != (v.Verdict == Violated) {
				t.Errorf("a picture: %v", ok)
			}
		})
	}
}

func golden(t *testing.T, name string, v *Verdict) {
	t.Helper()
	var b bytes.Buffer
	if err := v.Write(&b); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
	back, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if back.Verdict != v.Verdict || len(back.Properties) != len(v.Properties) {
		t.Errorf("read back %s with %d properties", back.Verdict, len(back.Properties))
	}
}

func TestImportedSample(t *testing.T) {
	f, err := os.Open(filepath.Join("../internal/history", "edn", "testdata", "etcd.edn"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, err := edn.ReadAny(f, edn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := Check(h, nil, Options{})
	v.Porcupine.Took, v.Porcupine.Version = 0, "v0"
	golden(t, "etcd.json", v)
}

func TestVisualIsSmallAndSafe(t *testing.T) {
	h := historyOf(lineartest.Recorded(3000, 10, 0, 2500))
	v := Check(h, nil, Options{Properties: []string{"S"}})
	page, ok := v.Visual()
	if !ok || len(page) > 100_000 || !strings.Contains(string(page), "client ") {
		t.Errorf("a page: %v, of %d bytes", ok, len(page))
	}
}

func TestPanicBecomesAVerdict(t *testing.T) {
	h := story(t, "c0 acquire 1 5")
	h.Events[0].T = 1 << 62
	h.Events[1].T = 1 << 62
	v := Check(h, nil, Options{})
	if v.Exit != ExitBroken || v.Verdict != Unknown || v.HarnessError == "" {
		t.Errorf("%+v", v)
	}
}

func TestZeroResultIsUnknown(t *testing.T) {
	var r Result
	if b, _ := r.MarshalText(); string(b) != "unknown" || r.String() != "unknown" {
		t.Errorf("%s %s", b, r)
	}
	if err := r.UnmarshalText([]byte("fine")); err == nil {
		t.Error("a result that is none was read")
	}
}

func TestDisagreementOutranksEverything(t *testing.T) {
	v := &Verdict{Expect: "violated", HarnessError: "the checks disagree: for the test",
		Properties: []Property{{Property: "S", Verdict: Violated}}}
	conclude(v, record.Build(story(t, "c0 acquire 1 5")))
	if v.Exit != ExitBroken || v.Verdict != Unknown || v.AsExpected {
		t.Errorf("%+v", v)
	}
}
