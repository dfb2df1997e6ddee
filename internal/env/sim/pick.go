package sim

// Picker is a Chooser that also decides what happens next. An environment with a Picker has no
// latencies: a message arrives when the Picker picks it. Time passes when the Picker picks that, or
// when nothing is under way. A search goes through all orders of messages with one.
type Picker interface {
	Chooser
	// Pick returns the number of the option that happens next, or Again. Option 0 goes on with the
	// client that acted last, if it can. The last option is Time. Pick is called only if a message is
	// under way and there are at least two options, but see Injector.
	Pick(w *Environment, options []Option) int
}

// Injector is a Picker that injects a fault. Pick is also called when no message is under way, and
// the only option is then Time.
type Injector interface {
	// CanInject reports whether there is a fault to inject.
	CanInject() bool
}

// Pruner is a Picker that calls Environment.Fingerprint. Only for a Pruner an environment keeps
// what each client has seen.
type Pruner interface {
	Picker
	Prunes() // does nothing
}

// Again is an answer to Pick: nothing happens, because the Picker has told the environment
// something (see Tell).
const Again = -1

// Option is one thing that may happen next.
type Option struct {
	Process int // client of the message, or -1 for a replica's and for time
	// "c0>n0.12", the 12th message on this way; "c0>n0 reply.12"; "c0 wakes.3", the end of the
	// client's third sleep, if that ends soon; "time"
	Name string
	// node or client at which the message arrives, client that sleeps, or "" for time
	To    string
	Reads bool // a request that changes nothing
	// when a message was sent, or the latest time until which time passes or the client sleeps;
	// environment's clock, ns
	At int64
}

// Races reports whether the order of two options may make a difference.
func (o Option) Races(other Option) bool { return o.To == other.To && !(o.Reads && other.Reads) }

// Time is the name of the option that time passes until a client acts. If a client's sleep ends
// soon, the end of that sleep is the option instead.
const Time = "time"
