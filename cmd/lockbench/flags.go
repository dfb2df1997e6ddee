package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/option"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// lockByFlag refuses arguments: a lock is named by a flag.
func lockByFlag(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	flag := "--impl"
	if _, err := adapters.Find(args[0]); err == nil {
		flag = "--adapter"
	}
	return fmt.Errorf("%s takes no argument: name the lock by a flag, %s %s %s", c.Name(),
		c.CommandPath(), flag, units.Quoted(args[0]))
}

// lockFlags are the options of a lock and its clients that run and explore share.
type lockFlags struct {
	harness.RunOptions
	ttl      string // a duration or "documented"
	watchdog bool
}

// named returns an error unless the flags name one lock.
func (f *lockFlags) named() error {
	switch {
	case f.Impl == "" && f.Adapter == "":
		return fmt.Errorf("which lock? name it with --impl; `%s` shows all", advice.ListImpls)
	case f.Impl != "" && f.Adapter != "":
		return errors.New("--impl and --adapter are both a lock; name one of them")
	}
	return nil
}

func (f *lockFlags) register(s *pflag.FlagSet) {
	s.StringVar(&f.Nemesis, "nemesis", "none",
		"faults, or ./my.yaml; see '"+advice.ListNemeses.String()+"'")
	for _, o := range f.Table() {
		if o.Help != "" {
			registerOption(s, o)
		}
	}
	s.BoolVar(&f.watchdog, "watchdog", true,
		"let a lock that has a watchdog renew its lease; =false names a lease instead")
}

func registerOption(s *pflag.FlagSet, o option.Option) {
	switch v := o.Value.(type) {
	case *string:
		s.StringVar(v, o.Name, *v, o.Help)
	case *int:
		s.IntVar(v, o.Name, *v, o.Help)
	case **int:
		s.Var(number{v}, o.Name, o.Help)
	case *time.Duration:
		s.DurationVar(v, o.Name, *v, o.Help)
	case *history.Durations:
		s.Var(durations{v}, o.Name, o.Help)
	case *history.Duration:
		s.DurationVar((*time.Duration)(v), o.Name, v.D(), o.Help)
	default:
		panic(fmt.Sprintf("no flag can hold a %T", v))
	}
}

// number is a number as a pflag.Value. It is nil until it is set.
type number struct{ at **int }

func (n number) Set(text string) error {
	i, err := strconv.Atoi(text)
	*n.at = &i
	return err
}
func (number) Type() string { return "int" }
func (n number) String() string {
	if n.at == nil || *n.at == nil {
		return ""
	}
	return strconv.Itoa(**n.at)
}

// durations is a list of durations as a pflag.Value.
type durations struct{ *history.Durations }

func (d durations) Set(text string) error { return d.UnmarshalText([]byte(text)) }
func (durations) Type() string            { return "durations" }

// inBounds returns an error for numbers and times that make no sense in any verb.
func inBounds(set *pflag.FlagSet) (err error) {
	set.Visit(func(f *pflag.Flag) {
		n, e := strconv.ParseInt(f.Value.String(), 10, 64)
		switch f.Value.Type() {
		case "int":
		case "duration":
			var d time.Duration
			d, e = time.ParseDuration(f.Value.String())
			n = int64(d)
		default:
			return
		}
		if e == nil && err == nil {
			err = harness.InBounds(f.Name, n)
		}
	})
	return err
}

// aboveZero returns an error if a given number or duration is zero or below. Inside the program,
// zero means the default.
func aboveZero(set *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		f := set.Lookup(name)
		v := f.Value.String()
		if f.Changed && (v == "0" || v == "0s" || strings.HasPrefix(v, "-")) {
			return fmt.Errorf("--%s is %s; it must be above zero", name, v)
		}
	}
	return nil
}

// read completes the options with the flags that are not fields.
func (f *lockFlags) read() error {
	f.NoWatchdog = !f.watchdog
	return f.SetLease(f.ttl)
}

// registerPlace adds the flags that say more about an environment than its name does.
func registerPlace(s *pflag.FlagSet, p *harness.Place) {
	s.StringVar(&p.Server, "server", "",
		"with --env process: program that is started instead of the redis-server installed, such as "+
			"the path of a valkey-server")
	s.StringVar(&p.Image, "redis-image", "",
		"with --env docker: image that servers are started from (default "+docker.DefaultImage+", for "+
			"other systems than Redis "+docker.SystemsImage+")")
	s.StringVar(&p.Network, "docker-network", "",
		"with --env docker: host, bridge (a network of the run's own with the proxies in it), or auto, "+
			"the default: host if that is possible")
	s.StringVar(&p.Workers, "workers", "",
		"with --env docker: clients as processes on the host (the default), or in a container each")
	s.StringSliceVar(&p.Addrs, "addr", nil,
		"with --env external: host:port of Redis, or of each independent master")
	s.BoolVar(&p.TLS, "tls", false,
		"with --env external: speak TLS; LOCKBENCH_REDIS_USER and LOCKBENCH_REDIS_PASSWORD hold the "+
			"login")
	s.BoolVar(&p.AnyDatabase, "any-database", false,
		"with --env external: even a database that holds keys of others")
}

// also adds another verb's name for a flag.
func also(s *pflag.FlagSet, other, name string) {
	s.SetNormalizeFunc(func(_ *pflag.FlagSet, n string) pflag.NormalizedName {
		if n == other {
			n = name
		}
		return pflag.NormalizedName(n)
	})
}
