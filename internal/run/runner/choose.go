package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/env/cluster/system"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/nemesis"
)

// The environments, as --env names them.
const (
	Auto     = "auto" // real Redis if there is one, otherwise the simulator
	Process  = "process"
	Docker   = "docker"
	External = "external"
	Sim      = "sim"
)

// Environments lists the values of --env.
func Environments() []string { return []string{Auto, Process, Docker, External, Sim} }

// Choice is a chosen environment.
type Choice struct {
	Environment string        // its name; never Auto
	Place       harness.Place // complete, so that a plan repeats it
	Note        string        // what the user should know about the choice, or ""
	System      server.Kind   // of its servers, or nil for Redis
}

// ChooseFor is Choose for servers of a system. The name "" means Redis.
func ChooseFor(ctx context.Context, name, environment string, place harness.Place) (Choice, error) {
	if name == "" {
		return Choose(ctx, environment, place)
	}
	kind, err := system.Find(name)
	if err != nil {
		return Choice{}, err
	}
	if environment == "" || environment == Auto {
		environment = Process
	}
	if err := nemesis.HasSystem(environment, name); err != nil {
		return Choice{}, err
	}
	if environment == Docker {
		place.Image = cmp.Or(place.Image, docker.SystemsImage)
	} else if _, err := kind.Find(); err != nil {
		return Choice{}, err
	}
	place, err = Complete(ctx, environment, place)
	return Choice{Environment: environment, Place: place, System: kind}, err
}

// Choose replaces Auto by a name, completes the place, and returns an error if this machine lacks
// the environment or the place does not suit it. Available checks more.
func Choose(ctx context.Context, environment string, place harness.Place) (Choice, error) {
	c := Choice{}
	if place.Server != "" && (environment == "" || environment == Auto) {
		environment = Process
	}
	err := c.name(ctx, environment, place)
	if err == nil {
		c.Place, err = Complete(ctx, c.Environment, place)
	}
	return c, err
}

// Complete fills in the defaults of a place, so that a plan repeats it. It returns an error if a
// setting belongs to another environment.
func Complete(ctx context.Context, environment string, place harness.Place) (harness.Place, error) {
	err := place.Suits(environment)
	if err == nil && place.Server != "" {
		place.Server, err = server.Program(place.Server)
	}
	if err == nil && environment == Docker {
		place.Image = cmp.Or(place.Image, docker.DefaultImage)
		place.Workers = cmp.Or(place.Workers, docker.OnHost)
		place.Network, err = docker.Network(ctx, place.Network)
	}
	return place, err
}

// CheckEnvironment returns an error if no environment has the name. An empty name is Auto.
func CheckEnvironment(name string) error {
	if name == "" || slices.Contains(Environments(), name) {
		return nil
	}
	return fmt.Errorf("unknown environment %q for --env; there are: %s", name,
		strings.Join(Environments(), ", "))
}

// name sets the name of the environment. For Auto it prefers real Redis, installed or in
// containers.
func (c *Choice) name(ctx context.Context, environment string, place harness.Place) error {
	if err := CheckEnvironment(environment); err != nil {
		return err
	}
	_, missing := exec.LookPath("redis-server")
	switch c.Environment = environment; {
	case environment == Process && missing != nil && place.Server == "":
		return server.ErrNoRedis
	case environment != "" && environment != Auto:
		return nil // Available checks the other flags
	case missing == nil:
		c.Environment = Process
	case docker.Ready(ctx, docker.Options{}) == nil:
		c.Environment = Docker
		c.Note = "redis-server is not installed, so this runs it in containers"
	default:
		c.Environment = Sim
		c.Note = "redis-server is not installed, so this runs in the embedded simulator; " +
			"`apt-get install redis-server` for the real one"
	}
	return nil
}

// Available returns an error if the environment is not possible here, or not with this scenario. It
// writes and starts nothing.
func Available(ctx context.Context, c Choice, scenario ...nemesis.Step) error {
	switch c.Environment {
	case Docker:
		return docker.Ready(ctx, containers(c, movesClocks(scenario)))
	case External:
		g, err := server.Connect(external(c.Place))
		if err != nil {
			return err
		}
		return g.Close()
	}
	return nil
}

// Capabilities returns the capabilities of an environment on this machine, with these servers. If
// clocks is true, it tries whether the servers' clocks can be moved, which takes a moment.
func Capabilities(ctx context.Context, c Choice, clocks bool) nemesis.Capabilities {
	has := nemesis.CapabilitiesOf(c.Environment)
	var why error
	switch {
	case !clocks:
	case c.Environment == Process:
		why = server.ClockMeans()
	case c.Environment == Docker:
		// The environment reports other reasons when it is opened.
		err := docker.Ready(ctx, containers(c, true))
		if no, ok := errors.AsType[nemesis.ImpossibleError](err); ok {
			why = no.Reason
		}
	}
	if why != nil {
		has = has.Minus(nemesis.NodeClock, why.Error())
	}
	return has
}

func movesClocks(scenario []nemesis.Step) bool {
	return slices.ContainsFunc(scenario, func(s nemesis.Step) bool {
		return s.Do == nemesis.NodeClock || s.Do == nemesis.StopClock
	})
}
