package nemesis

import (
	"time"

	"github.com/lockbench/lockbench/history"
)

// Effect is what is done to an environment, and how it is undone. A fault is an effect at a moment:
// scenarios aim it where a lock is known to hurt, random and explore draw the moment.
type Effect struct {
	Begin []Step
	End   []Step // none: it is over at once, or lasts
}

// On is what an effect is done to. Which fields count depends on the effect.
type On struct {
	Client string           // a client by any name
	Links  string           // a link or a pattern of links
	Nodes  []string         // servers
	Copy   string           // the replica that takes over from the first of them
	For    history.Duration // how long a server is busy
}

// effects is the one list: what each fault does, without a moment. Faults that only let clients
// meet have none, and random draws actions.
var effects = map[string]func(p Params, variant string, on On) Effect{
	"pause": func(_ Params, _ string, on On) Effect {
		return undone(Step{Do: Pause, Target: on.Client})
	},
	"crash": func(_ Params, _ string, on On) Effect {
		return undone(Step{Do: Crash, Target: on.Client})
	},
	"partition": func(_ Params, variant string, on On) Effect {
		return undone(parted(variant, on.Links))
	},
	"request-loss": func(_ Params, _ string, on On) Effect {
		return undone(Step{Do: Cut, Target: on.Links, Mode: Requests})
	},
	"reply-loss": func(_ Params, _ string, on On) Effect {
		return undone(Step{Do: Cut, Target: on.Links, Mode: Replies})
	},
	"disconnect": func(_ Params, _ string, on On) Effect {
		e := undone(Step{Do: Refuse, Target: on.Links})
		return Effect{Begin: append(e.Begin, e.End...)} // new connections are taken at once
	},
	"late": func(_ Params, mode string, on On) Effect {
		e := held(mode, on.Links)
		// newer connections of this client take another way to the same nodes
		e.Begin = append(e.Begin, Step{Do: Redirect, Target: on.Client, Node: Spare})
		return e
	},
	"latency": func(_ Params, _ string, on On) Effect {
		return undone(Step{Do: Delay, Target: on.Links, For: on.For})
	},
	"restart": func(_ Params, variant string, on On) Effect {
		e := undone(each(on.Nodes, Step{Do: KillNode})...)
		for i := range e.End {
			if variant == "disk" {
				e.End[i].Do = Revive
			}
		}
		return Effect{Begin: append(e.Begin, e.End...)}
	},
	"restart-delayed": func(_ Params, _ string, on On) Effect {
		return undone(each(on.Nodes, Step{Do: KillNode})...)
	},
	"failover": func(_ Params, _ string, on On) Effect {
		return Effect{Begin: []Step{{Do: KillNode, Target: on.Nodes[0]},
			{Do: Promote, Target: on.Copy}, {Do: Redirect, Target: "*", Node: on.Copy}}}
	},
	"clock-client": func(p Params, variant string, on On) Effect {
		return Effect{Begin: []Step{p.skewed(Step{Do: ClientClock, Target: on.Client}, variant)}}
	},
	"clock-server": func(p Params, variant string, on On) Effect {
		return Effect{Begin: each(on.Nodes, p.skewed(Step{Do: NodeClock}, variant))}
	},
	"busy": func(_ Params, variant string, on On) Effect {
		if variant == "kill" {
			return undone(each(on.Nodes, Step{Do: Busy})...)
		}
		return undone(each(on.Nodes, Step{Do: Stall, For: on.For})...)
	},
	"node-pause": func(_ Params, _ string, on On) Effect {
		return undone(each(on.Nodes, Step{Do: PauseNode})...)
	},
	"node-crash":    killed,
	"minority-loss": killed,
	"majority-loss": killed,
}

func killed(_ Params, _ string, on On) Effect {
	return Effect{Begin: each(on.Nodes, Step{Do: KillNode})}
}

// Effect returns what the fault of this name does, without a moment; false: it has no effect of its
// own.
func (p Params) Effect(fault, variant string, on On) (Effect, bool) {
	f, ok := effects[fault]
	if !ok {
		return Effect{}, false
	}
	return f(p, variant, on), true
}

// effect is Effect of a fault that has one.
func (p Params) effect(fault, variant string, on On) Effect {
	return effects[fault](p, variant, on)
}

// held keeps what passes links, in one direction or both.
func held(mode, links string) Effect {
	return undone(Step{Do: HoldBack, Target: links, Mode: mode})
}

// aimed marks the first step as the one that must hit a hold with another client waiting.
func (e Effect) aimed(yes bool) Effect {
	e.Begin[0].Aimed = yes
	return e
}

// undone is an effect with what ends it by the table of actions.
func undone(begin ...Step) Effect {
	e := Effect{Begin: begin}
	for _, s := range begin {
		switch a := s.action(); {
		case a.Again:
			e.End = append(e.End, Step{Do: s.Do, Target: s.Target})
		case len(a.Undo) > 0:
			e.End = append(e.End, Step{Do: a.Undo[0], Target: s.Target})
		}
	}
	return e
}

// each is one step for each of the targets.
func each(targets []string, s Step) (steps []Step) {
	for _, s.Target = range targets {
		steps = append(steps, s)
	}
	return steps
}

// parted is how a partition shows: nothing passes, or not in one direction, or connections end.
func parted(variant, links string) Step {
	s := Step{Do: Cut, Target: links}
	switch variant {
	case Requests, Replies:
		s.Mode = variant
	case Refuse, Reset:
		s.Do = variant
	}
	return s
}

// lost is how much of each second a slow clock loses.
const lost = 0.9

// skewed makes a step of a clock wrong, forward if no variant says otherwise.
func (p Params) skewed(s Step, variant string) Step {
	switch variant {
	case "0":
	case "-":
		s.Offset = history.Duration(-p.jump())
	case "rate":
		s.Rate = 1
	case "slow":
		s.Rate = -lost
	default:
		s.Offset = history.Duration(p.jump())
	}
	return s
}

// Long outlasts a lease.
func (p Params) Long() time.Duration { return p.TTL * 13 / 10 }

// jump is a clock's jump that no lease survives.
func (p Params) jump() time.Duration { return p.TTL + 500*time.Millisecond }
