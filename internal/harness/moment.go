package harness

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/nemesis"
)

// A MomentError says that a fault waits for a command that the lock never sends, or not in a call
// that acquires it.
type MomentError struct {
	Lock, Fault string
	Sends       []string // the commands of the lock
	TakesOver   bool     // the fault waits for a client that takes over a lock that it has read
	Renews      bool     // the fault strikes a renewal
	Instead     string   // another aim of the fault in the words of --nemesis, or ""
}

func (e MomentError) Error() string {
	sends := "it sends none"
	if len(e.Sends) > 0 {
		sends = "it sends only " + units.List(e.Sends)
	}
	instead := "no aim of this fault fits; `" + advice.ListNemeses.String() + "` shows the others"
	if e.Instead != "" {
		instead = "use --nemesis " + e.Instead
	}
	switch {
	case e.Renews:
		return fmt.Sprintf("--nemesis %s loses a renewal, and %s renews none: %s", e.Fault, e.Lock,
			instead)
	case e.TakesOver:
		return fmt.Sprintf("--nemesis %s needs a lock that clients take over when they find an expired "+
			"value, and %s is not one: %s", e.Fault, e.Lock, instead)
	}
	return fmt.Sprintf("--nemesis %s strikes at a command that %s never sends (%s): %s", e.Fault,
		e.Lock, sends, instead)
}

// CheckMoments returns a MomentError if a fault of a plan waits for a command that the lock never
// sends. It knows the commands of own locks only, and of others whether they renew. A drawn fault
// waits for no command. A search does not call it, since it may draw moments that a lock does not
// have.
func (p Plan) CheckMoments(o RunOptions) error {
	faults, err := nemesis.Parse(p.Nemesis)
	if err != nil || faults.Drawn() {
		return err
	}
	for _, f := range faults {
		if strings.HasSuffix(f.Spec, "-renewal") && !p.Renews() {
			return MomentError{Lock: p.Impl, Fault: f.Spec, Renews: true, Instead: nemesis.Base(f.Spec)}
		}
	}
	if p.Adapter != nil {
		return nil
	}
	lock, err := p.lock()
	if err != nil {
		return err
	}
	if o.Capabilities.Environment == "" {
		o.Capabilities = nemesis.CapabilitiesOf(p.Environment)
	}
	params := p.params(o, lock)
	for _, f := range faults {
		if meets(lock, f.Spec, params) {
			continue
		}
		e := MomentError{Lock: lock.Name, Fault: f.Spec, Sends: lock.Sends,
			TakesOver: !takesOver(lock) && awaits(f.Spec, params, ofTakeover)}
		entry, _, err := nemesis.Find(f.Spec)
		if err != nil {
			return e // a file
		}
		e.Instead = firstAim(entry, func(aim string) bool { return meets(lock, aim, params) })
		return e
	}
	return nil
}

// firstAim returns the first aim of a fault that suits, or "". It passes over a control.
func firstAim(fault nemesis.Entry, suits func(aim string) bool) string {
	if suits(fault.Name) {
		return fault.Name
	}
	for _, v := range fault.Variants {
		if aim := fault.Name + ":" + v.Name; !v.Control && suits(aim) {
			return aim
		}
	}
	return ""
}

// meets reports whether a lock can reach all moments that the scenario of a fault requires. It
// reports true for a fault that is wrong in another way; other checks refuse that one.
func meets(lock impls.Entry, spec string, params nemesis.Params) bool {
	return !awaits(spec, params, func(x nemesis.Step) bool {
		return x.For == 0 && x.Await.Command != "" && !sends(lock, x.Await.Command) ||
			!takesOver(lock) && ofTakeover(x)
	})
}

// awaits reports whether a step of a fault's scenario awaits such a moment.
func awaits(spec string, params nemesis.Params, such func(nemesis.Step) bool) bool {
	fault, err := nemesis.Parse(spec)
	if err != nil {
		return false
	}
	s, err := fault.Scenario(params)
	return err == nil && slices.ContainsFunc(s.Steps, func(x nemesis.Step) bool {
		return x.Await != nil && such(x)
	})
}

// ofTakeover reports whether a step awaits a command of a client that takes a lock over.
func ofTakeover(x nemesis.Step) bool {
	return x.Await.Means == nemesis.ReadsKey || x.Await.Means == nemesis.TakesOver
}

// takesOver reports whether a client may take a lock over when it finds an old value.
func takesOver(lock impls.Entry) bool { return slices.Contains(lock.Traits, impls.Takeover) }

// names finds the command names at the start of a pattern: "^p?expire ", "^(del|getset) ".
var names = regexp.MustCompile(`^\^(\(?[a-z?|]+\)?) `)

// sends reports whether a lock may send a command that a pattern matches.
func sends(lock impls.Entry, pattern string) bool {
	m := names.FindStringSubmatch(pattern)
	if m == nil {
		return len(lock.Sends) > 0
	}
	name, err := regexp.Compile("^(" + m[1] + ")$")
	return err != nil || slices.ContainsFunc(lock.Sends, name.MatchString)
}
