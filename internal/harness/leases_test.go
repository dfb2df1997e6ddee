package harness

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// mixed are options whose clients have a second and three by turns.
func mixed(t *testing.T, impl, ttl string) (o RunOptions, err error) {
	t.Helper()
	o = RunOptions{Impl: impl, Nemesis: "none", Environment: "sim"}
	if err := o.Leases.UnmarshalText([]byte("1s,3s")); err != nil {
		t.Fatal(err)
	}
	return o, o.SetLease(ttl)
}

func TestEachClientHasItsOwnLeaseOfAPlanThatWasRead(t *testing.T) {
	o, err := mixed(t, "token-lua", "")
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(o)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := p.Write(&file); err != nil {
		t.Fatal(err)
	}
	if p, err = ReadPlan(&file); err != nil {
		t.Fatal(err)
	}
	for i, want := range []time.Duration{time.Second, 3 * time.Second, time.Second} {
		c := p.Worker().ForClient(i)
		if c.TTL.D() != want || c.Process != i || len(c.Leases) > 0 {
			t.Errorf("client %d has %v of %v as client %d; want %v", i, c.TTL, c.Leases, c.Process, want)
		}
	}
	if p.TTL.D() != 3*time.Second || p.Hold.D() >= time.Second/2 {
		t.Errorf("the plan has a lease of %v and holds of %v, for the longest and the shortest lease",
			p.TTL, p.Hold)
	}
}

func TestLeasesThatCannotBeAreRefused(t *testing.T) {
	for says, c := range map[string]struct {
		impl, ttl string
		change    func(*Plan)
	}{
		"--leases 1s,3s is another; omit --ttl": {impl: "token-lua", ttl: "2s"},
		"--ttl is documented, and the longest":  {impl: "token-lua", ttl: "documented"},
		"always has the lease of its document":  {impl: "getset-java"},
		"the longest of --leases 1s,3s must be": {"token-lua", "", func(p *Plan) { p.TTL = 1 }},
		"--leases is 0s; it must be above zero": {"token-lua", "", func(p *Plan) { p.Leases[0] = 0 }},
		"--leases is 200h0m0s; 0s to 168h0m0s are": {"token-lua", "",
			func(p *Plan) { p.Leases[0] = history.Duration(200 * time.Hour) }},
	} {
		o, err := mixed(t, c.impl, c.ttl)
		var p Plan
		if err == nil {
			p, err = NewPlan(o)
		}
		if c.change != nil && err == nil {
			c.change(&p)
			err = p.Validate()
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q expected: %v", says, err)
		}
	}
}
