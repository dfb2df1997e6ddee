package doctor

import (
	"errors"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/nemesis"
)

// FaultRow shows the environments of a fault.
type FaultRow struct {
	Fault        string             `json:"fault"`
	Environments map[string]Support `json:"environments"`
}

// Answer is the short form of Support.
type Answer string

// The answers.
const (
	Yes    Answer = "yes"
	No     Answer = "no"
	Partly Answer = "partly" // some of its variants
	None   Answer = "-"      // this machine lacks the environment
)

// Support describes one fault in one environment.
type Support struct {
	Possible    Answer   `json:"possible"`
	Unsupported []string `json:"unsupported,omitempty"` // the fault, or some of its variants
	Reason      string   `json:"reason,omitempty"`      // why they are not possible
	// other systems than Redis whose servers support the fault there
	Systems []string `json:"systems,omitempty"`
}

// String describes the support in a word or two: "not :disk" if only that variant is missing,
// "etcd" if only another system has the fault.
func (s Support) String() string {
	if s.Possible == No && len(s.Systems) > 0 {
		return strings.Join(s.Systems, ", ")
	}
	if s.Possible != Partly {
		return string(s.Possible)
	}
	var variants []string
	for _, u := range s.Unsupported {
		_, variant, _ := strings.Cut(u, ":")
		variants = append(variants, ":"+variant)
	}
	return "not " + strings.Join(variants, ", ")
}

func faultRows(trials []trial) (rows []FaultRow) {
	for _, e := range nemesis.All() {
		row := FaultRow{Fault: e.Name, Environments: map[string]Support{}}
		for _, t := range trials {
			s := Support{Possible: None}
			if t.err == nil {
				s = Supports(t.has, e)
			}
			if s.Possible == No && t.environment == runner.Process {
				s.Systems = systemsWith(t.has, e)
			}
			row.Environments[t.environment] = s
		}
		rows = append(rows, row)
	}
	return rows
}

// systemsWith returns the systems whose servers support a fault, if Redis servers do not.
func systemsWith(has nemesis.Capabilities, e nemesis.Entry) (out []string) {
	for _, system := range nemesis.Systems()[1:] {
		if Supports(has.On(system), e).Possible != No {
			out = append(out, system)
		}
	}
	return out
}

// Supports checks each variant of a fault in an environment, by the same code that refuses a run.
func Supports(has nemesis.Capabilities, e nemesis.Entry) Support {
	s, all := Support{Possible: Yes}, variants(e)
	for _, v := range all {
		scenario, err := e.Scenario(v, anyPlan(e, has))
		if err == nil {
			err = has.Possible(scenario)
		}
		if err != nil {
			s.Unsupported, s.Reason = append(s.Unsupported, e.Name+":"+v), reason(err)
		}
	}
	switch len(s.Unsupported) {
	case 0:
	case len(all):
		s.Possible, s.Unsupported = No, []string{e.Name}
	default:
		s.Possible = Partly
	}
	return s
}

// reason returns the reason in an error why an environment lacks a fault.
func reason(err error) string {
	if no, ok := errors.AsType[nemesis.ImpossibleError](err); ok {
		err = no.Reason
	}
	return err.Error()
}

// variants returns the variants of a fault, with an example for a number or a duration.
func variants(e nemesis.Entry) (names []string) {
	for _, v := range e.Variants {
		switch v.Name {
		case "N":
			names = append(names, "3")
		case "DURATION":
			names = append(names, "2s")
		default:
			names = append(names, v.Name)
		}
	}
	if len(names) == 0 {
		names = []string{""}
	}
	return names
}

// anyPlan returns the parameters of a typical lock for the fault.
func anyPlan(e nemesis.Entry, has nemesis.Capabilities) nemesis.Params {
	p := nemesis.Params{
		TTL: 2 * time.Second, Hold: 200 * time.Millisecond, Poll: 20 * time.Millisecond, Clients: 4,
		Nodes: 1, Timeout: 250 * time.Millisecond, Capabilities: has,
	}
	if e.Needs == nemesis.Independent {
		p.Nodes = 5
	}
	return p
}
