// Package nemesis holds the faults as plain data: what is done to whom, when, and what it takes. A scenario is a list of
// steps that the harness carries out in order on any world that has the powers for it.
package nemesis

import (
	"encoding/json"
	"fmt"
)

// What a Step does, in field Do.
const (
	Quiesce  = "quiesce" // no client begins a new cycle, and all have ended theirs
	Resume   = "resume"  // clients go on
	Barrier  = "barrier" // every replica has all that its master was told
	Cut      = "cut"     // the link Target drops what is sent over it, by Mode; open until Heal
	Delay    = "delay"   // the link Target holds what is sent over it for For; open until Heal
	Heal     = "heal"    // the link Target is whole again
	KillNode = "kill"    // the node Target is killed with SIGKILL
	Promote  = "promote" // the replica Target becomes a master
	Direct   = "direct"  // all clients use the node Target from now on
	Crash    = "crash"   // the client Target is killed with SIGKILL and stays away
	Go       = "go"      // the client that stands at the gate goes on
	Wait     = "wait"    // nothing, for For
)

// Struck as a Target means the client that reached the last gate.
const Struck = "struck"

// The directions of a Cut.
const (
	Both     = ""         // nothing passes
	Requests = "requests" // what a client sends is lost; nothing is executed
	Replies  = "replies"  // what a node answers is lost; commands are executed
)

// Step is one thing that the harness does, or, with Await, waits for.
type Step struct {
	Do     string `json:"do,omitempty"`
	Target string `json:"target,omitempty"` // node "n0", client "c2" or "struck", link "n0>n1" or "c2>n0"
	Mode   string `json:"mode,omitempty"`   // of a Cut
	For    string `json:"for,omitempty"`    // of a Wait or Delay: a duration
	Strike bool   `json:"strike,omitempty"` // must fall into a hold with a contender waiting, or the run proves nothing
	Await  *Await `json:"await,omitempty"`
}

// Await stops one client at a place of its cycle, and the scenario until a client has come there. The client stands there until a Go.
type Await struct {
	Client    int    `json:"client"`              // -1: whoever comes first
	Phase     string `json:"phase,omitempty"`     // acquire, granted, release, released
	Command   string `json:"command,omitempty"`   // instead of Phase: a regular expression over a Redis command in lower case
	At        string `json:"at,omitempty"`        // of a Command: before it is sent or after its reply
	Nth       int    `json:"nth,omitempty"`       // at this match; 0 and 1: the first
	Contended bool   `json:"contended,omitempty"` // and another client waits for the same lock
}

// Fault reports whether the step changes the world under the clients, so that it belongs in the history.
func (s Step) Fault() bool {
	switch s.Do {
	case Cut, Delay, KillNode, Promote, Direct, Crash:
		return true
	}
	return false
}

// Lasts reports whether the effect of a fault goes on after the step, until a Heal or the end of the run.
func (s Step) Lasts() bool { return s.Do == Cut || s.Do == Delay || s.Do == KillNode || s.Do == Crash }

// String is the step as plan.json has it.
func (s Step) String() string {
	b, err := json.Marshal(s)
	if err != nil {
		return fmt.Sprint(s.Do, " ", s.Target)
	}
	return string(b)
}
