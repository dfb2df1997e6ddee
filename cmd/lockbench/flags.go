package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var errNoLock = fmt.Errorf("which lock? name it with --impl; `%s` shows all", advice.ListImpls)

// lockFlags are the options of a lock and its clients that run and explore have in common.
type lockFlags struct {
	harness.RunOptions
	ttl      string // a duration or "documented"
	watchdog bool
}

func (f *lockFlags) register(s *pflag.FlagSet) {
	o := &f.RunOptions
	s.StringVar(&o.Impl, "impl", "", "lock to run; '"+advice.ListImpls.String()+"' shows all")
	s.StringVar(&o.Nemesis, "nemesis", "none",
		"fault to inject (crash, crash:holding, crash:all), several with commas between them, or a "+
			"file (./my.yaml); "+
			"'"+advice.ListNemeses.String()+"' shows all")
	s.StringVar(&o.Workload, "workload", "", "what clients do with the lock (default mutex)")
	s.StringVar(&o.Variant, "variant", "", "variant of the lock, such as constant for token-lua")
	s.StringVar(&o.Topology, "topology", "",
		"single, failover, independent or, of etcd and ZooKeeper, ensemble (default what lock and "+
			"fault need)")
	s.IntVar(&o.Keys, "keys", 0, "locks that the clients contend for (default 1)")
	s.IntVar(&o.Masters, "masters", 0, "independent masters, for redlock (default 5)")
	s.IntVar(&o.Replicas, "replicas", 0,
		"replicas of the master under a failover (default 1, and one more than must confirm with "+
			"--wait-replicas)")
	s.DurationVar(&o.Poll, "poll", 0,
		"pause between attempts (default the document's, scaled by the lease)")
	s.DurationVar(&o.AcquireTimeout, "acquire-timeout", 0, "how long one acquire waits (default 5s)")
	s.DurationVar(&o.Hold, "hold", 0,
		"time inside (default three polls, at least 80ms, at most a third of the lease)")
	s.DurationVar(&o.ClientTimeout, "client-timeout", 0,
		"dial, read and write time-out of the Redis client (default 250ms, of a library its own)")
	s.IntVar(&o.ClientRetries, "client-retries", 0,
		"how often the Redis client itself resends; its own default is 3")
	s.IntVar(&o.WaitReplicas, "wait-replicas", 0,
		"replicas that must confirm a grant (WAIT), or it is given back")
	s.DurationVar(&o.WaitTimeout, "wait-timeout", 0,
		"how long the replicas of --wait-replicas may take (default 100ms)")
	s.DurationVar(&o.Think, "think", 0, "mean pause between cycles")
	s.IntVar(&o.MaxRenewals, "max-renewals", 0,
		"how often one hold may be renewed (default for ever, as documented)")
	s.DurationVar(&o.NodeTimeout, "node-timeout", 0,
		"how long redlock waits for one master (default a twentieth of the lease, 5ms to 50ms)")
	s.BoolVar(&f.watchdog, "watchdog", true,
		"let a lock that has a watchdog renew its lease; =false names a lease instead")
}

// inBounds refuses numbers and times that make no sense, of any verb.
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

// aboveZero refuses numbers and durations that were given and are zero, which means the default
// inside, or below.
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

// read completes the options with the flags that are not fields of them.
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

// groups are the headings in the help of a verb with many flags. Flags without a group come first.
var groups = []struct {
	title string
	flags []string
}{
	{"Servers and clients", []string{"env", "server", "redis-image", "docker-network", "workers",
		"addr", "tls", "any-database", "redis-config", "topology", "masters", "replicas", "clients",
		"keys"}},
	{"Times and settings of the lock", []string{"ttl", "poll", "acquire-timeout", "hold", "think",
		"client-timeout", "client-retries", "node-timeout", "wait-replicas", "wait-timeout", "watchdog",
		"max-renewals"}},
	{"Exhaustive search", []string{"exhaustive", "preemptions", "expiries", "faults", "rounds",
		"tries", "no-hashing", "no-sleep-sets"}},
	{"Other ways to run it", []string{"again", "resume", "costs"}},
	{"Verdict and output", []string{"expect", "properties", "stop-on-violation", "thorough", "store",
		"quiet", "json", "out", "help"}},
}

// flagUsages are the flags of a verb for its help, in groups if they are many.
func flagUsages(s *pflag.FlagSet) string {
	const many = 20
	n, rest := 0, pflag.NewFlagSet("", pflag.ContinueOnError)
	in := make([]*pflag.FlagSet, len(groups))
	s.VisitAll(func(f *pflag.Flag) {
		n++
		to := rest
		for i, g := range groups {
			if slices.Contains(g.flags, f.Name) {
				if in[i] == nil {
					in[i] = pflag.NewFlagSet("", pflag.ContinueOnError)
				}
				to = in[i]
			}
		}
		to.AddFlag(f)
	})
	width := progress.Width(os.Stdout) // of the terminal; 0 turns wrapping off
	if n < many {
		return s.FlagUsagesWrapped(width)
	}
	text := rest.FlagUsagesWrapped(width)
	for i, g := range groups {
		if in[i] != nil {
			text += "\n" + g.title + ":\n" + in[i].FlagUsagesWrapped(width)
		}
	}
	return text
}

// What a template can call is cobra's for all commands of a program, and is not guarded.
func init() { cobra.AddTemplateFunc("flagUsages", flagUsages) }

// groupFlags makes the help of a command, and of those below it, show flagUsages.
func groupFlags(c *cobra.Command) {
	c.SetUsageTemplate(strings.ReplaceAll(c.UsageTemplate(), ".LocalFlags.FlagUsages",
		"flagUsages .LocalFlags"))
}

// also lets a flag be written as other verbs name it.
func also(s *pflag.FlagSet, other, name string) {
	s.SetNormalizeFunc(func(_ *pflag.FlagSet, n string) pflag.NormalizedName {
		if n == other {
			n = name
		}
		return pflag.NormalizedName(n)
	})
}
