package matrix

import (
	"slices"

	"github.com/lockbench/lockbench/impls"
)

// Column is a fault as the matrix has it: the hazard, and the scenarios that are aimed at
// a lock to see whether it happens.
type Column struct {
	Name string `json:"name"`
	Line string `json:"line"` // what happens, in one line
	Aims []Aim  `json:"aims"`
}

// Aim is one scenario of a column.
type Aim struct {
	Nemesis string        `json:"nemesis"`
	Only    []impls.Trait `json:"only,omitempty"` // traits of the locks that it is for; all of them
	Not     []impls.Trait `json:"not,omitempty"`  // traits of the locks that it is not for
	// the same schedule without its sting: it must find what no fault finds
	Control bool `json:"control,omitempty"`
	// with two, no other client's command hides what the two do to each other
	Clients int  `json:"clients,omitempty"`
	Patient bool `json:"patient,omitempty"` // a client's call lasts for several leases
}

// columns is the closed list: those of docs/locks/expected.md in its order, then ours.
var columns = []Column{
	{Name: "none", Line: "no fault; clients may be slow for less than a lease", Aims: []Aim{
		{Nemesis: "none"}, {Nemesis: "race:nil", Only: []impls.Trait{impls.SeesNil}, Clients: 2},
		{Nemesis: "race:finally", Only: []impls.Trait{impls.Finally}, Clients: 2},
	}},
	{Name: "longwork", Line: "the work takes longer than the lease", Aims: []Aim{
		{Nemesis: "overrun", Clients: 2}}},
	{Name: "crash", Line: "a client is killed", Aims: []Aim{
		{Nemesis: "crash"}, {Nemesis: "crash:takeover", Only: []impls.Trait{impls.Takeover}},
		{Nemesis: "crash:expire", Only: []impls.Trait{impls.Two}},
	}},
	{Name: "pause", Line: "a client stops for longer than the lease", Aims: []Aim{
		{Nemesis: "pause", Clients: 2}, {Nemesis: "pause:between", Only: []impls.Trait{impls.Look},
			Clients: 2},
		{Nemesis: "pause:short", Control: true},
	}},
	{Name: "partition", Line: "a client is cut off from Redis", Aims: []Aim{
		{Nemesis: "partition"}, {Nemesis: "partition:stay", Only: []impls.Trait{Watchdog}, Clients: 2},
		{Nemesis: "partition:expire", Only: []impls.Trait{impls.Two}},
	}},
	{Name: "reply-loss", Line: "a command is executed, its reply is lost", Aims: []Aim{
		{Nemesis: "reply-loss:acquire"}, {Nemesis: "reply-loss:release"}}},
	{Name: "late", Line: "a request or a reply arrives late, also after its client gave up",
		Aims: []Aim{
			{Nemesis: "late:reply", Not: []impls.Trait{impls.Two}, Clients: 2}, {Nemesis: "late:expire",
				Only: []impls.Trait{impls.Two}, Clients: 2}, {Nemesis: "late:check", Only: []impls.Trait{
				impls.Look}, Clients: 2},
			{Nemesis: "late:release", Clients: 2}, {Nemesis: "late:again", Only: []impls.Trait{impls.Reused},
				Clients: 2}, {Nemesis: "late:request"},
			{Nemesis: "late:vote", Only: []impls.Trait{masters}, Patient: true},
		}},
	{Name: "restart", Line: "Redis restarts without its data", Aims: []Aim{
		{Nemesis: "restart", Clients: 2}, {Nemesis: "restart:between", Only: []impls.Trait{impls.Look},
			Clients: 2}}},
	{Name: "restart-delayed", Line: "the same, and comes back when every lease is over", Aims: []Aim{
		{Nemesis: "restart-delayed"}, {Nemesis: "restart-delayed:stay", Only: []impls.Trait{Watchdog},
			Clients: 2},
	}},
	{Name: "failover", Line: "the master dies, its replica misses the last write", Aims: []Aim{
		{Nemesis: "failover:after", Clients: 2}, {Nemesis: "failover:release"},
		{Nemesis: "failover:between", Only: []impls.Trait{impls.Look}, Clients: 2},
		{Nemesis: "failover:healthy",
			Control: true},
	}},
	{Name: "clock-server+", Line: "Redis' clock jumps forward", Aims: []Aim{
		{Nemesis: "clock-server:+", Clients: 2}, {Nemesis: "clock-server:between", Only: []impls.Trait{
			impls.Look},
			Clients: 2}, {Nemesis: "clock-server:0", Control: true},
	}},
	{Name: "clock-server-", Line: "Redis' clock jumps back", Aims: []Aim{{Nemesis: "clock-server:-"}}},
	{Name: "clock-client", Line: "a client's clock jumps forward or back", Aims: []Aim{
		{Nemesis: "clock-client:+", Clients: 2}, {Nemesis: "clock-client:-", Clients: 2},
		{Nemesis: "clock-client:0", Control: true},
	}},
	{Name: "busy", Line: "a script keeps Redis from answering for longer than the lease", Aims: []Aim{
		{Nemesis: "busy", Clients: 3}, {Nemesis: "busy:stay", Only: []impls.Trait{Watchdog}, Clients: 2},
		{Nemesis: "busy:between", Only: []impls.Trait{impls.Look}, Clients: 2},
	}},
	{Name: "request-loss", Line: "a command is lost on its way to Redis", Aims: []Aim{
		{Nemesis: "request-loss:acquire"}, {Nemesis: "request-loss:release"}}},
	{Name: "node-pause", Line: "Redis stops for longer than the lease", Aims: []Aim{
		{Nemesis: "node-pause", Clients: 3}, {Nemesis: "node-pause:stay", Only: []impls.Trait{Watchdog},
			Clients: 2}, {Nemesis: "node-pause:between", Only: []impls.Trait{impls.Look}, Clients: 2},
	}},
	{Name: "node-crash", Line: "Redis dies and stays away", Aims: []Aim{{Nemesis: "node-crash"}}},
	{Name: "minority-loss", Line: "a minority of the masters dies", Aims: []Aim{
		{Nemesis: "minority-loss", Only: []impls.Trait{masters}}}},
	{Name: "majority-loss", Line: "a majority of the masters dies", Aims: []Aim{
		{Nemesis: "majority-loss", Only: []impls.Trait{masters}}}},
}

// Columns returns the faults of the matrix. The caller may keep and change the slice.
func Columns() []Column { return slices.Clone(columns) }

// suits reports whether an aim is for a lock.
func (a Aim) suits(r Row) bool {
	return !slices.ContainsFunc(a.Only, func(t impls.Trait) bool { return !r.Has(t) }) &&
		!slices.ContainsFunc(a.Not, r.Has)
}
