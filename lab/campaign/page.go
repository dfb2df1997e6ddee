package campaign

import (
	"fmt"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/units"
)

// Example is the campaign of docs/examples/campaign-job.yaml: three servers, three seeds, and what
// a pod is asked for there.
var Example = Plan{Servers: 3, Seeds: 3, Shards: 20, Machines: 60, Evicted: 0.02, Retries: 3,
	Start: time.Minute}

// scales are the other numbers of shards and machines of the page.
var scales = []struct{ shards, machines int }{
	{1, 1}, {1, 9}, {5, 15}, {20, 60}, {20, 180}, {40, 360},
}

// rates are how often a pod is evicted each hour.
var rates = []float64{0, 0.02, 0.2}

// repeats is how often each campaign of the page is simulated.
const repeats = 200

// Page is docs/campaign.md, from the cells of the records, which took so long together.
func Page(cells []Cell, took time.Duration) string {
	var p strings.Builder
	e := Example
	all := len(cells) * e.Servers * e.Seeds
	runs := 0
	longest := time.Duration(0)
	for _, c := range cells {
		runs += c.Runs
		longest = max(longest, c.Took)
	}
	shown := e.Simulate(cells, repeats)
	fmt.Fprintf(&p, `# Ten thousand cells on a scheduler

**The answer.** All locks and libraries under all faults, on three servers with three seeds, are
%s cells. %d machines of two cores need about %s for them, %s in sum; one
machine needs %s. [campaign-job.yaml](examples/campaign-job.yaml) does it on Kubernetes,
[campaign-merge.yaml](examples/campaign-merge.yaml) joins what came out, to one matrix for each
server and seed, and any other scheduler that gives its jobs an index can run the same script.

## How

1. Build an image with lockbench, the servers that you want to compare, and the adapters, set up
   (`+"`lockbench adapters setup`"+`); a pod then downloads nothing.
2. An index names a server, a seed and a shard: `+"`lockbench matrix --shard 3/20 --server … --seed …`"+`.
   Each cell belongs to one shard, the same on every machine, so that no machine has to talk to
   another one. What a pod found lies on a volume that all share.
3. A pod that was evicted goes on where it was (`+"`matrix --resume`"+`); runs that were recorded are not
   run again. A shard that gives up is named by `+"`merge`"+`, which then ends with exit code 254; with
   `+"`--allow-missing`"+` its cells are unknown.
4. `+"`lockbench compare whole/redis-7.0-seed-1 whole/valkey-9-seed-1`"+` says which letters differ between
   two servers, where chance does not explain it.

A search is dealt alike: `+"`explore --shard 3/20 --json`"+`, and `+"`merge`"+` joins what was printed.

Give a pod the whole of two cores: what shares them stalls, and a verdict that a stall could explain
is unknown, never a violation. The number of machines changes how long it takes and nothing else.

## What it costs

Simulated %d times for each row, from the times of the %d cells that are possible (%d runs) in
[matrix.json](matrix.json) and [libraries.json](libraries.json). These took %s on one
machine of two cores beside other work, which is what a cell's time is taken from; a quiet machine
is faster. A pod takes %s to start. The scheduler starts pods in their order, where a machine
is free. Evictions come by chance, at the rate given for each pod; the cell that was under way is
begun again. Shards are those of each server and seed; the last column counts the campaigns in which
one was evicted too often.

| shards | machines | evictions | done, median | 95 %% | machine hours | lost a shard |
|---|---|---|---|---|---|---|
`, units.Thousands(all), e.Machines, round(median(shown).Wall), round(median(shown).Machines),
		round(alone(cells)), repeats, len(cells), runs, round(took), round(e.Start))
	for _, s := range scales {
		for _, rate := range rates {
			plan := e
			plan.Shards, plan.Machines, plan.Evicted = s.shards, s.machines, rate
			os := plan.Simulate(cells, repeats)
			lost := 0
			for _, o := range os {
				if o.Lost > 0 {
					lost++
				}
			}
			fmt.Fprintf(&p, "| %d | %d | %s | %s | %s | %.0f | %d of %d |\n", s.shards, s.machines,
				often(rate), round(median(os).Wall), round(os[len(os)*95/100].Wall),
				median(os).Machines.Hours(), lost, repeats)
		}
	}
	fmt.Fprintf(&p, `
More shards than that help little: the longest cell takes %s, and cells are dealt by how many
runs they have, not by how long they are. Fewer shards lose more to an eviction only in time, since
what was recorded stays.

`+"`go test ./lab/campaign -update`"+` writes this page.
`, round(longest))
	return p.String()
}

func median(os []Outcome) Outcome { return os[len(os)/2] }

// alone is how long one machine takes that is never evicted.
func alone(cells []Cell) time.Duration {
	p := Example
	p.Shards, p.Machines, p.Evicted = 1, 1, 0
	return p.Simulate(cells, 1)[0].Wall
}

func often(rate float64) string {
	if rate == 0 {
		return "none"
	}
	return fmt.Sprintf("one in %.0f hours", 1/rate)
}

// round is a time for people: in minutes below three hours, in hours else.
func round(d time.Duration) string {
	if d < 179*time.Minute+30*time.Second {
		return units.Count(int(d.Round(time.Minute).Minutes()), "minute")
	}
	return units.Count(int(d.Round(time.Hour).Hours()), "hour")
}
