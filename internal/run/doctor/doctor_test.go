package doctor

import (
	"errors"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/nemesis"
)

func TestSupportsNamesTheVariantsThatAreMissing(t *testing.T) {
	for _, c := range []struct{ environment, fault, want string }{
		{"process", "pause", "yes"},
		{"docker", "clock-server", "not :stand"},
		{"sim", "disk-loss", "no"},
		{"sim", "failover-sentinel", "no"},
		{"external", "restart", "no"},
	} {
		e, _, err := nemesis.Find(c.fault)
		if err != nil {
			t.Fatal(err)
		}
		s := Supports(nemesis.CapabilitiesOf(c.environment), e)
		if s.String() != c.want {
			t.Errorf("%s in %s: %q, not %q", c.fault, c.environment, s, c.want)
		}
		if (s.Possible == Yes) != (s.Reason == "") || strings.Contains(s.Reason, "not possible") {
			t.Errorf("%s in %s: reason %q", c.fault, c.environment, s.Reason)
		}
	}
}

func TestTheTextGroupsFaultsByTheReasonWhyTheyAreMissing(t *testing.T) {
	none := trial{environment: "docker", err: errors.New("no daemon\nanswers")}
	d := Diagnosis{
		Findings: []Finding{{Name: "cc", Found: "not found", For: "the shim", Advice: "apt-get"},
			{Name: "docker", Found: "no daemon", For: "containers"}},
		Environments: map[string]string{"docker": none.String(), "sim": "yes"},
		Faults: faultRows([]trial{none,
			{environment: "sim", has: nemesis.CapabilitiesOf("sim")}}),
	}
	var b strings.Builder
	if err := d.Text(&b, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"  for the shim: apt-get\n", "  for containers\n",
		"environment docker   no daemon answers\n",
		"sim: no failover-sentinel: the simulator has no sentinels\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, &b)
		}
	}
	real := faultRows([]trial{{environment: "process", has: nemesis.CapabilitiesOf("process")}})
	for _, row := range real {
		s := row.Environments["process"].String()
		if row.Fault == "leader-loss" && s != "etcd, zookeeper" {
			t.Errorf("leader-loss in process: %q", s)
		}
	}
	if !d.Healthy() {
		t.Error("the simulator works")
	}
}
