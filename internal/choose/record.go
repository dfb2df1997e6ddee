package choose

import (
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Record is all data of this package. A program of the lab extracts it from longer records, and it
// is embedded in the binary.
type Record struct {
	Own, Libraries *matrix.Matrix
	Often          []Often
	Settings       []Setting
	Trials         []MitigationCell
	Drawn          []Drawn
	Alone          []Alone
}

// Alone is the median acquire of a lock that only one client wants.
type Alone struct {
	Row     string
	Library bool // the row is a library's
	Acquire history.Duration
}

// Often counts the violations of each cell in many runs in one environment.
type Often struct {
	Found []Count
	Clean []Count // cells without any violation; their Property is ""
}

// Count is the number of judged runs of a cell that violated a property.
type Count struct {
	Row, Column, Property, Nemesis string
	Hits, Of                       int
}

// Drawn is the number of simulated runs that violated a property, with random moments of the fault
// and a random order of messages.
type Drawn struct {
	Row, Fault string
	Hit
}

//go:embed known.json.gz
var known string

// Recorded returns the embedded record. It decodes the record at the first call. The caller must
// not change it.
var Recorded = sync.OnceValues(func() (*Record, error) {
	z, err := gzip.NewReader(strings.NewReader(known))
	if err != nil {
		return nil, err
	}
	r := new(Record)
	return r, json.NewDecoder(z).Decode(r)
})

// Setting is a setting that people use against a fault.
type Setting struct {
	Name         string
	Topology     string   `json:",omitempty"` // the required topology, or "" for any
	Replicas     int      `json:",omitempty"` // replicas of the master; 0 means one
	WaitReplicas int      `json:",omitempty"`
	RedisConfig  []string `json:",omitempty"`
	// LeaseTimes is the factor for the lease of the matrix. It is 0 for other settings.
	LeaseTimes int `json:",omitempty"`
	// the fault that runs tried it against, if another one may defeat it; or ""
	Limit string `json:",omitempty"`
}

// setting returns the setting with a name, or the zero value.
func (r *Record) setting(name string) Setting {
	i := slices.IndexFunc(r.Settings, func(s Setting) bool { return s.Name == name })
	if i < 0 {
		return Setting{}
	}
	return r.Settings[i]
}

// flags returns the flags of run for a setting.
func (s Setting) flags() (flags string) {
	if s.Topology != "" {
		flags += " --topology " + s.Topology
	}
	if s.Replicas > 0 {
		flags += fmt.Sprint(" --replicas ", s.Replicas)
	}
	if s.WaitReplicas > 0 {
		flags += fmt.Sprint(" --wait-replicas ", s.WaitReplicas)
	}
	for j := 0; j+1 < len(s.RedisConfig); j += 2 {
		flags += " --redis-config " + s.RedisConfig[j] + "=" + s.RedisConfig[j+1]
	}
	if s.lease() {
		flags += fmt.Sprint(" --ttl ", time.Duration(s.LeaseTimes)*matrix.DefaultTTL)
	}
	return flags
}

// in reports whether a run has a setting. The topology failover has one replica even if no flag
// says so.
func (s Setting) in(p harness.Plan) bool {
	return s.Name != "" && !s.lease() && s.WaitReplicas == p.WaitReplicas &&
		max(1, s.Replicas) == max(1, p.Replicas) && slices.Equal(s.RedisConfig, p.RedisConfig)
}

// lease reports whether a setting is a longer lease. Its trials keep the original length of the
// fault. No flag of run does that, since a run's fault grows with the lease.
func (s Setting) lease() bool { return s.LeaseTimes > 0 }

// MitigationCell is the effect of one mitigation in one cell.
type MitigationCell struct {
	Mitigation string `json:"mitigation"`
	Row        string `json:"row"`
	Nemesis    string `json:"nemesis"`
	Line       string `json:"line"`
	Without    Trials `json:"without"`
	With       Trials `json:"with"`
}

// Trials is the result of several runs of the same kind.
type Trials struct {
	Runs     int            `json:"runs"`
	Violated map[string]int `json:"violated"` // number of violating runs by property
	// runs without a violation in which no client was granted the lock after the failover
	Stuck int `json:"stuck,omitempty"`
	// other runs without a violation that leave S unknown
	Unknown int    `json:"unknown,omitempty"`
	Reason  string `json:"reason,omitempty"` // why S is unknown in one of them
	// median acquire time without competition and faults
	Acquire history.Duration `json:"acquire"`
	// the longest time from the fault to the next grant
	Recovery history.Duration `json:"recovery,omitempty"`
}

// String returns the result in the form "SL 5/5, R 4/5".
func (t Trials) String() string {
	var groups []string
	byCount := map[int]string{}
	for _, l := range batch.Properties {
		if n := t.Violated[l]; n > 0 {
			byCount[n] += l
		}
	}
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(byCount))) {
		groups = append(groups, fmt.Sprintf("%s %d/%d", byCount[n], n, t.Runs))
	}
	if t.Stuck > 0 {
		groups = append(groups, fmt.Sprintf("- %d/%d, but no client is granted it afterwards", t.Stuck,
			t.Runs))
	}
	if t.Unknown > 0 {
		groups = append(groups, fmt.Sprintf("? %d/%d (%s)", t.Unknown, t.Runs, t.Reason))
	}
	if len(groups) == 0 {
		return fmt.Sprintf("- %d/%d", t.Runs, t.Runs)
	}
	return strings.Join(groups, ", ")
}
