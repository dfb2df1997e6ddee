package choose

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/harness"
)

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
