package impls_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/redis/go-redis/v9"
)

// scenario is something that a good lock does. It returns how a lock departs from that, or nil.
type scenario struct {
	name string
	run  func(*scene) error
	only func(impls.Entry) bool // which locks it can be asked of; nil: all
}

// TestConformance asks every lock, with each of its variants, to behave like a good lock. Where one
// must not, because the document has that defect, the table of departures says so and the test
// fails if the defect has gone.
func TestConformance(t *testing.T) {
	conform(t, needRedis(t))
}

// conform runs the suite in an environment.
func conform(t *testing.T, w environment) {
	used := map[string]bool{}
	// returns when all that runs beside each other below it has ended
	t.Run("locks", func(t *testing.T) {
		for _, e := range impls.All() {
			for i, variant := range or(e.Variants, "") {
				name := caseName(e, i)
				for _, c := range scenarios {
					if c.only != nil && !c.only(e) {
						continue
					}
					d := departs(name, c.name)
					if d != nil {
						used[name+" "+c.name] = true
					}
					t.Run(name+"/"+c.name, func(t *testing.T) {
						t.Parallel()
						w.host(t, func(w environment) { judge(t, c.run(newScene(t, w, e, variant)), d) })
					})
				}
			}
		}
	})
	for _, d := range departures {
		for _, lock := range d.locks {
			for _, c := range d.cases {
				if !used[lock+" "+c] {
					t.Errorf("%s is said to depart in %q, but there is no such lock or case", lock, c)
				}
			}
		}
	}
}

// caseName is what the suite calls a lock's i-th variant; the first is the default.
func caseName(e impls.Entry, i int) string {
	if i == 0 {
		return e.Name
	}
	return e.Name + ":" + e.Variants[i]
}

func or(list []string, otherwise string) []string {
	if len(list) == 0 {
		return []string{otherwise}
	}
	return list
}

// judge compares what a lock did with what the table says of it.
func judge(t *testing.T, err error, d *departure) {
	t.Helper()
	switch {
	case err != nil && d == nil:
		t.Errorf("departs from a good lock: %v", err)
	case err == nil && d != nil:
		t.Errorf("behaves like a good lock; the documented defect is gone: %s (%s)", d.defect, d.source)
	case err != nil:
		t.Logf("as documented (%s): %s: %v", d.source, d.defect, err)
	}
}

var scenarios = []scenario{
	{"acquires when free", acquiresWhenFree, nil},
	{"refuses when held", refusesWhenHeld, nil},
	// its lease ends before any release
	{"waits for a release", waitsForRelease, func(e impls.Entry) bool {
		return e.Name != "getset-java"
	}},
	{"releases", releases, nil},
	{"leaves nothing behind", leavesNothing, nil},
	{"is taken over after a crash", takenOver, nil},
	{"is taken over after a crash between commands", takenOverHalfway, nil},
	{"only the owner releases", onlyOwnerReleases, nil},
	{"a refused client releases nothing", refusedReleasesNothing, nil},
	{"fencing tokens grow", tokensGrow, func(e impls.Entry) bool { return e.Fencing }},
	{"key vanishes before GET", vanishesBeforeGet, readsTime},
	{"key vanishes before GET and is taken", vanishesAndIsTaken, readsTime},
	{"key vanishes before GETSET", vanishesBeforeGetset, takesByGetset},
	{"survives SCRIPT FLUSH", survivesFlush, nil},
	{"refuses a key of another type", refusesOtherType, nil},
	{"re-enters as promised", reenters, nil},
	{"prolongs its lease", prolongs, func(e impls.Entry) bool { return e.Watchdog || e.Extends }},
	{"tells its holder of a loss", tellsOfLoss, func(e impls.Entry) bool { return e.Lease }},
	{"does not take a lost reply for a refusal", lostReply, nil},
	{"ends with its context before each command", endsBeforeCommands, nil},
	{"ends with its context while waiting", endsWhileWaiting, nil},
	{"holds on when the acquire's context ends", holdsOn, nil},
}

func readsTime(e impls.Entry) bool {
	return strings.HasPrefix(e.Name, "getset") || e.Name == "setnx-del-expired"
}

func takesByGetset(e impls.Entry) bool { return strings.HasPrefix(e.Name, "getset") }

func hurried(o *impls.Options) { o.AcquireTimeout = brief }

// crashing are the options of a client that will never release: its lease is short, and no watchdog
// lives.
func (s *scene) crashing(o *impls.Options) {
	// redisson-multi first takes twice that as its lease
	o.NoWatchdog, o.AcquireTimeout = s.entry.Watchdog, time.Second
	if s.entry.Lease && !s.entry.Fixed {
		o.TTL = short
	}
}

func acquiresWhenFree(s *scene) error {
	u := s.user(nil)
	from := u.env.Elapsed()
	g, err := u.Acquire(s.ctx)
	if err != nil {
		return err
	}
	switch e := s.entry; {
	case g.Sent < from || g.Sent > u.env.Elapsed():
		return errors.New("Sent is no time within the call")
	case e.Lease && !e.Fixed && g.Lease != long, !e.Lease && g.Lease != 0:
		return fmt.Errorf("the lease is %v", g.Lease)
	case e.Validity != (g.ValidUntil != 0), e.Validity && g.ValidUntil >= g.Sent+g.Lease:
		return fmt.Errorf("valid until %v, with a lease of %v from %v", g.ValidUntil, g.Lease, g.Sent)
	case e.Fencing != (g.Fence != 0):
		return fmt.Errorf("fencing token %d", g.Fence)
	}
	return u.Release(s.ctx, g)
}

// refusesWhenHeld also asks for a refusal that is definite: nothing may be left of it.
func refusesWhenHeld(s *scene) error {
	if _, err := s.user(nil).Acquire(s.ctx); err != nil {
		return err
	}
	before := s.dump()
	_, err := s.user(hurried).Acquire(s.ctx)
	switch {
	case err == nil:
		return errors.New("two clients are inside")
	case !errors.Is(err, impls.ErrHeld) || !impls.Definite(err):
		return fmt.Errorf("refused with %w", err)
	case s.dump() != before:
		return errors.New("the refused client changed the key")
	}
	return nil
}

func waitsForRelease(s *scene) error {
	a, b := s.user(nil), s.user(nil)
	g, err := a.Acquire(s.ctx)
	if err != nil {
		return err
	}
	granted := make(chan error, 1)
	go func() {
		_, err := b.Acquire(s.ctx)
		granted <- err
	}()
	if err := s.eventually("the second client waits", func() bool {
		return s.waits(b) ||
			len(granted) > 0
	}); err != nil {
		return err
	}
	err = a.Release(s.ctx, g)
	return errors.Join(<-granted, err)
}

// waits reports whether a client sleeps between two attempts, or has subscribed and tried again.
func (s *scene) waits(u *user) bool {
	return u.env.sleeps.Load() > 0 || s.listens() && u.tap.commands() > 1
}

// listens reports whether the lock's waiting clients are woken by messages.
func (s *scene) listens() bool { return s.entry.Watchdog && s.entry.Name != "redisson-spin" }

func releases(s *scene) error {
	a := s.user(nil)
	g, err := a.Acquire(s.ctx)
	if err != nil {
		return err
	}
	if err := a.Release(s.ctx, g); err != nil {
		return err
	}
	_, err = s.user(hurried).Acquire(s.ctx)
	return err
}

func leavesNothing(s *scene) error {
	a := s.user(nil)
	g, err := a.Acquire(s.ctx)
	if err != nil {
		return err
	}
	_ = a.Release(s.ctx, g) // the case before asks for its outcome
	if left := s.left(); len(left) > 0 {
		return fmt.Errorf("left in Redis: %v", left)
	}
	return nil
}

func takenOver(s *scene) error {
	if _, err := s.user(s.crashing).Acquire(s.ctx); err != nil {
		return err
	}
	s.shorten()
	_, err := s.user(nil).Acquire(s.ctx)
	return err
}

// shorten ends a fixed lease for which the test does not wait.
func (s *scene) shorten() {
	if s.entry.Fixed && s.entry.TTL > patient {
		s.do("PEXPIRE", s.key(), 1)
	}
}

// onlyOwnerReleases lets a lock get lost and be taken by another client, whose key the first one
// must not touch.
func onlyOwnerReleases(s *scene) error {
	a, b := s.user(nil), s.user(nil)
	g, err := a.Acquire(s.ctx)
	if err != nil {
		return err
	}
	s.do("DEL", s.key())
	if _, err := b.Acquire(s.ctx); err != nil {
		return err
	}
	before := s.dump()
	if err := a.Release(s.ctx, g); before != s.dump() {
		return fmt.Errorf("the second client's lock was released by the first, which was told: %v", err)
	}
	return nil
}

func survivesFlush(s *scene) error {
	a := s.user(nil)
	for range 2 {
		g, err := a.Acquire(s.ctx)
		if err != nil {
			return err
		}
		s.do("SCRIPT", "FLUSH")
		if err := a.Release(s.ctx, g); err != nil {
			return err
		}
	}
	return nil
}

func refusesOtherType(s *scene) error {
	if s.entry.Watchdog { // its locks are hashes
		s.do("SET", s.key(), "x")
	} else {
		s.do("HSET", s.key(), "x", "1")
	}
	before := s.dump()
	_, err := s.user(hurried).Acquire(s.ctx)
	switch {
	case err == nil:
		return errors.New("granted")
	case !impls.Definite(err) && !answered(err):
		return fmt.Errorf("refused with %w", err)
	case s.dump() != before:
		return errors.New("the key was changed")
	}
	return nil
}

// answered reports whether an error is a refusal or an error reply. A script may get one after it
// has written, so that it need not be definite.
func answered(err error) bool {
	var reply redis.Error
	return errors.Is(err, impls.ErrHeld) || errors.As(err, &reply)
}

// reenters asks for as many holds as there were grants, or for a refusal of the second one.
func reenters(s *scene) error {
	u := s.user(hurried)
	var grants []impls.Grant
	for depth := range 3 {
		g, err := u.Acquire(s.ctx)
		if err != nil && depth == 1 && !s.entry.Reentrant && errors.Is(err, impls.ErrHeld) {
			return nil
		}
		if err != nil {
			return err
		}
		if g.Depth != depth {
			return fmt.Errorf("acquisition %d says it has depth %d", depth, g.Depth)
		}
		grants = append(grants, g)
	}
	for _, g := range slices.Backward(grants) {
		if s.dump() == "|" {
			return errors.New("free before the last release")
		}
		if err := u.Release(s.ctx, g); err != nil {
			return err
		}
	}
	if s.dump() != "|" || !s.entry.Reentrant {
		return errors.New("not free after the last release, or entered twice without a promise")
	}
	return nil
}
