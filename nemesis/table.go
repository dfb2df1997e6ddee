package nemesis

import (
	"fmt"
	"strings"
)

// Topologies that a fault asks for.
const (
	Single   = "single"   // one Redis
	Failover = "failover" // a master with one replica; the harness promotes it
)

// Entry is a row of the table of faults.
type Entry struct {
	Name     string
	Line     string   // what it does, in one line
	Variants []string // what may follow the name after a colon; the first is the default
	Topology string   // what it needs
	Steps    func(variant string) []Step
}

// table is the closed list of faults.
var table = []Entry{
	{
		Name: "none", Line: "no fault: the clients only contend",
		Topology: Single,
		Steps:    func(string) []Step { return nil },
	},
	{
		Name: "failover", Line: "the master dies holding a grant that its replica never heard of, and the replica is promoted",
		Variants: []string{"cut", "delayed", "healthy"},
		Topology: Failover,
		Steps:    failover,
	},
	{
		Name: "crash", Line: "a client is killed while it holds the lock, or (crash:N) after its N-th Redis command",
		Variants: []string{"holding", "N"},
		Topology: Single,
		Steps:    crash,
	},
}

// failover cuts (or delays) the replication link while nobody holds the lock, lets one client be granted it, and kills the master
// in that hold. "healthy" is the control: the replica has the grant before the master dies.
// The replica may only be trusted to be behind by what the link loses, hence the barrier (REALFAULT.md §0.3).
func failover(variant string) []Step {
	steps := []Step{{Do: Quiesce}, {Do: Barrier}}
	switch variant {
	case "cut":
		steps = append(steps, Step{Do: Cut, Target: "n0>n1"})
	case "delayed":
		steps = append(steps, Step{Do: Delay, Target: "n0>n1", For: "50ms"})
	}
	steps = append(steps, Step{Do: Resume}, Step{Await: &Await{Client: -1, Phase: "granted", Contended: true}})
	if variant == "healthy" {
		steps = append(steps, Step{Do: Barrier})
	}
	return append(steps,
		Step{Do: KillNode, Target: "n0", Strike: true},
		Step{Do: Promote, Target: "n1"},
		Step{Do: Direct, Target: "n1"},
		Step{Do: Go},
	)
}

// crash kills the client that first holds the lock with another waiting, or client 0 after its n-th command, whatever that did.
func crash(variant string) []Step {
	if variant == "holding" {
		return []Step{
			{Await: &Await{Client: -1, Phase: "granted", Contended: true}},
			{Do: Crash, Target: Struck, Strike: true},
		}
	}
	var n int
	fmt.Sscan(variant, &n)
	return []Step{
		{Await: &Await{Client: 0, Command: ".", At: "after", Nth: n}},
		{Do: Crash, Target: Struck},
	}
}

// All returns the table of faults. The caller may keep and change the slice.
func All() []Entry { return append([]Entry(nil), table...) }

// Find returns the row for "name" or "name:variant", and the variant to hand to its Steps.
func Find(spec string) (Entry, string, error) {
	name, variant, given := strings.Cut(spec, ":")
	var names []string
	for _, e := range table {
		names = append(names, e.Name)
		if e.Name != name {
			continue
		}
		if !given {
			if len(e.Variants) > 0 {
				variant = e.Variants[0]
			}
			return e, variant, nil
		}
		return e, variant, e.check(variant)
	}
	return Entry{}, "", fmt.Errorf("unknown nemesis %q; there are: %s", name, strings.Join(names, ", "))
}

// check says whether the fault has this variant; "N" in the table stands for any number above zero.
func (e Entry) check(variant string) error {
	for _, v := range e.Variants {
		var n int
		if _, err := fmt.Sscan(variant, &n); v == variant || v == "N" && err == nil && n > 0 && fmt.Sprint(n) == variant {
			return nil
		}
	}
	return fmt.Errorf("nemesis %q has no variant %q; it has: %s", e.Name, variant, strings.Join(e.Variants, ", "))
}
