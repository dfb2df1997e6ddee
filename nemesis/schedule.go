package nemesis

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/strictyaml"
	"github.com/lockbench/lockbench/internal/base/units"
)

// Schedule is a fault from a file in YAML or JSON. docs/formats.md describes the format.
type Schedule struct {
	Line string `yaml:"line"` // a description in one line
	// The topology it needs. If empty, the lock decides: one Redis, or its independent masters.
	Topology string `yaml:"topology"`
	Replicas int    `yaml:"replicas"` // behind each independent master; of Failover's master
	// The time-out of the clients' Redis connections. If empty, the plan's own applies.
	ClientTimeout string `yaml:"client_timeout"`
	// The number of aimed steps that must hit. If nil, all aimed steps must, or any step if none is
	// aimed.
	Hits  *int      `yaml:"hits"`
	Steps []written `yaml:"steps"`

	file string
}

// isFile reports whether a text is the name of a file, not of a fault.
func isFile(spec string) bool {
	return strings.ContainsAny(spec, `/\`) || slices.Contains([]string{".json", ".yaml", ".yml"},
		filepath.Ext(spec))
}

// ReadSchedule reads a schedule from a file. Errors name the place.
func ReadSchedule(file string) (*Schedule, error) {
	b, err := units.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--nemesis names a file: %w", err)
	}
	return DecodeSchedule(file, b)
}

// DecodeSchedule parses the content of a file. Checks that depend on the plan follow when the plan
// is made.
func DecodeSchedule(file string, b []byte) (*Schedule, error) {
	v, err := strictyaml.Parse(file, b)
	if err != nil {
		return nil, err
	}
	s := &Schedule{file: file}
	if err := v.Decode(s); err != nil {
		return nil, err
	}
	if len(s.Steps) == 0 {
		return nil, fmt.Errorf("%s:1: it has no steps", file)
	}
	if s.Topology != "" && !slices.Contains(Topologies(), s.Topology) {
		return nil, fmt.Errorf("%s: unknown topology %q; there are: %s", file, s.Topology,
			strings.Join(Topologies(), ", "))
	}
	if err := ReplicasIn(s.Topology, s.Replicas); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// ReplicasIn returns an error if a topology cannot have n replicas. 0 means the usual number.
func ReplicasIn(topology string, n int) error {
	most := map[string]int{Failover: MaxReplicas, Independent: 1,
		Sentinel: SentinelNodes - 1, Cluster: 1}[topology]
	fixed := topology == Sentinel || topology == Cluster
	switch {
	case n >= 0 && n <= most && (!fixed || n == 0 || n == most):
		return nil
	case fixed:
		return fmt.Errorf("replicas is %d; with the topology %s it is %d", n, topology, most)
	case topology == Single:
		return fmt.Errorf("replicas is %d; the topology %s has none", n, Single)
	}
	return fmt.Errorf("replicas is %d; 1 to %d are possible with the topology %s, and 1 behind "+
		"each of %s masters", n, MaxReplicas, Failover, Independent)
}

// wrong adds the place in the file to an error.
func (s *Schedule) wrong(err error) error {
	if step, ok := errors.AsType[*StepError](err); ok {
		return s.Steps[step.Step].At.Errorf("%w", err)
	}
	return fmt.Errorf("%s: %w", s.file, err)
}
