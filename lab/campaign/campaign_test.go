package campaign

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write docs/campaign.md")

// few are cells that take one to twenty minutes.
func few() (cells []Cell, all time.Duration) {
	for i := range 20 {
		c := Cell{Runs: 1, Took: time.Duration(i+1) * time.Minute}
		cells = append(cells, c)
		all += c.Took
	}
	return cells, all
}

// TestACampaignRunsEveryCell: without evictions the machines work as long as all cells take, and
// the longer, the fewer they are.
func TestACampaignRunsEveryCell(t *testing.T) {
	cells, all := few()
	before := time.Duration(0)
	for _, machines := range []int{40, 8, 3, 1} {
		p := Plan{Servers: 2, Seeds: 2, Shards: 10, Machines: machines, Start: time.Second}
		o := p.Simulate(cells, 1)[0]
		if want := 4*all + time.Duration(p.Pods())*p.Start; o.Machines != want || o.Evicted+o.Lost > 0 {
			t.Errorf("%d machines: %v, want %v; %d evicted, %d lost", machines, o.Machines, want, o.Evicted,
				o.Lost)
		}
		if o.Wall < before || o.Wall < o.Machines/time.Duration(machines) {
			t.Errorf("%d machines: %v, not longer than %v", machines, o.Wall, before)
		}
		before = o.Wall
	}
}

// TestEvictionsCostTime, and a shard that is evicted too often is lost.
func TestEvictionsCostTime(t *testing.T) {
	cells, _ := few()
	p := Plan{Servers: 1, Seeds: 1, Shards: 4, Machines: 4, Start: time.Minute}
	calm := p.Simulate(cells, 1)[0]
	p.Evicted, p.Retries = 1, 1000
	if o := p.Simulate(cells, 1)[0]; o.Evicted == 0 || o.Machines <= calm.Machines || o.Lost > 0 {
		t.Errorf("with evictions %+v, without %+v", o, calm)
	}
	p.Retries, p.Evicted = 0, 100
	if o := p.Simulate(cells, 1)[0]; o.Lost != 4 || o.Machines >= calm.Machines {
		t.Errorf("nothing may be evicted, and much is: %+v", o)
	}
}

// TestThePageIsTheRecords, simulated anew. The record has ten thousand cells for the example.
func TestThePageIsTheRecords(t *testing.T) {
	cells, took, err := Recorded()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(cells) * Example.Servers * Example.Seeds; n < 10_000 {
		t.Errorf("the example has %d cells", n)
	}
	file, want := filepath.Join("../../docs", "campaign.md"), Page(cells, took)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if page, err := os.ReadFile(file); err != nil || string(page) != want {
		t.Errorf("docs/campaign.md is not what the records say (%v): write it with -update", err)
	}
}
