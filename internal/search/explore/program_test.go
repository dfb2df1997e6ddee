package explore

import (
	"context"
	"net"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/workloads"
)

// moody is the lock of a program that grants it to everyone, unless the program is a new one and
// its poll is longer than usual.
type moody struct {
	c    workloads.LinkedClient
	conn net.Conn
}

const usualPoll = 20 * time.Millisecond

func openMoody(c workloads.LinkedClient) (workloads.LinkedLock, error) {
	conn, err := c.Dial(c.Life, "tcp", c.Address(0))
	return &moody{c, conn}, err
}

func (m *moody) ask(args ...string) (string, error) {
	var w resp.Writer
	w.Command(args...)
	if _, err := m.conn.Write(w.B); err != nil {
		return "", err
	}
	reply, err := resp.NewReader(m.conn).Reply()
	return resp.Text(reply), err
}

func (m *moody) Acquire(_ context.Context, n int, keys []string, _ time.Duration) (
	said workloads.Said, err error) {
	set := []string{"SET", keys[0], strconv.Itoa(m.c.Process*1000 + n), "PX", "1000"}
	if m.c.Fresh && m.c.Poll.D() > usualPoll {
		set = append(set, "NX")
	}
	reply, err := m.ask(set...)
	if err == nil && reply != "OK" {
		err = workloads.RefusedError{}
	}
	return said, err
}

func (m *moody) Release(context.Context, int) error { return nil }

func (m *moody) Close() { m.conn.Close() }

// TestASmallRunOfAProgramMustRepeat: a smaller run violated a property only with a program that had
// served others, so the run that was found is kept as it was.
func TestASmallRunOfAProgramMustRepeat(t *testing.T) {
	m := adapters.Manifest{Name: "moody", Topology: "single"}
	m.Declares.Lease = true
	workloads.Link(m.Name, workloads.Linkage{Open: openMoody, Lease: time.Second, Program: true})
	s := Search{Options: harness.RunOptions{Linked: &m, Nemesis: "none", TTL: time.Second,
		Poll: usualPoll}, Properties: []string{"L"}, Schedule: Random, Moments: Aimed, Seeds: 5, Jobs: 1}
	hits, _, err := s.Find(t.Context())
	if err != nil || len(hits) == 0 {
		t.Fatal(hits, err)
	}
	x, _, err := hits[0].Shrink(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if x.Plan.Poll.D() != usualPoll {
		t.Errorf("it has the poll %v", x.Plan.Poll)
	}
}

// wandering is the lock of a program that grants it to everyone and writes another value each time.
type wandering struct{ moody }

var wrote atomic.Int64

func (m *wandering) Acquire(_ context.Context, _ int, keys []string, _ time.Duration) (
	said workloads.Said, err error) {
	_, err = m.ask("SET", keys[0], strconv.FormatInt(wrote.Add(1), 10), "PX", "1000")
	return said, err
}

// TestTheStepsOfAProgramMayVary: the violation of a program repeats with its class, and no run has
// the steps of another. It is kept, says so, and its replay confirms it.
func TestTheStepsOfAProgramMayVary(t *testing.T) {
	m := adapters.Manifest{Name: "wandering", Topology: "single"}
	m.Declares.Lease = true
	workloads.Link(m.Name, workloads.Linkage{Lease: time.Second, Program: true,
		Open: func(c workloads.LinkedClient) (workloads.LinkedLock, error) {
			conn, err := c.Dial(c.Life, "tcp", c.Address(0))
			return &wandering{moody{c, conn}}, err
		}})
	s := Search{Options: harness.RunOptions{Linked: &m, Nemesis: "none", TTL: time.Second},
		Properties: []string{"L"}, Schedule: Random, Moments: Aimed, Seeds: 5, Jobs: 1}
	hits, _, err := s.Find(t.Context())
	if err != nil || len(hits) == 0 {
		t.Fatal(hits, err)
	}
	x, err := hits[0].Case.Settle(t.Context(), hits[0].Property)
	if err != nil || !x.Varies {
		t.Fatal("it does not vary", err)
	}
	if o, err := repeat(t, x); err != nil || !o.Confirmed {
		t.Errorf("%s, %v", o, err)
	}
}

// punctual is the lock of a program that asks for the lease of the run, or for whole seconds of it.
type punctual struct {
	moody
	unit time.Duration
}

func (m *punctual) Acquire(_ context.Context, n int, keys []string, _ time.Duration) (
	said workloads.Said, err error) {
	lease := max(m.c.TTL.D().Truncate(m.unit), m.unit).Milliseconds()
	reply, err := m.ask("SET", keys[0], strconv.Itoa(m.c.Process*1000+n), "NX", "PX",
		strconv.FormatInt(lease, 10))
	if err == nil && reply != "OK" {
		err = workloads.RefusedError{}
	}
	return said, err
}

// TestAProgramPromisesTheDrawnLease: a program is linked once, and each run has a drawn lease. The
// program is accused only if it cuts the lease of the run.
func TestAProgramPromisesTheDrawnLease(t *testing.T) {
	testenv.SkipRace(t)
	for unit, cuts := range map[time.Duration]bool{time.Millisecond: false, time.Second: true} {
		m := adapters.Manifest{Name: "punctual", Topology: "single"}
		m.Declares.Lease = true
		workloads.Link(m.Name, workloads.Linkage{Program: true, Lease: 2 * time.Second,
			Open: func(c workloads.LinkedClient) (workloads.LinkedLock, error) {
				conn, err := c.Dial(c.Life, "tcp", c.Address(0))
				return &punctual{moody{c, conn}, unit}, err
			}})
		s := Search{Options: harness.RunOptions{Linked: &m, Nemesis: "random", Clients: 2},
			Properties: []string{"V"}, Schedule: Random, Moments: Aimed, Seeds: 12, Jobs: 1}
		if hits, _, err := s.Find(t.Context()); err != nil || (len(hits) > 0) != cuts {
			t.Errorf("with leases in units of %v: %v, %v", unit, hits, err)
		}
	}
}
