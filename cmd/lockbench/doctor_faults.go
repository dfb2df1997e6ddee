package main

import (
	"errors"
	"strings"
	"time"

	"github.com/lockbench/lockbench/nemesis"
)

// faultRow says where a fault can be had.
type faultRow struct {
	Fault        string                 `json:"fault"`
	Environments map[string]possibility `json:"environments"`
}

// possibility is the answer for one fault in one environment.
type possibility struct {
	// yes, no, "not :variant", or "-" where there is no such environment
	Possible string   `json:"possible"`
	Lacks    []string `json:"lacks,omitempty"`   // what cannot be had: the fault, or its variants
	Because  string   `json:"because,omitempty"` // why not
}

// faultRows asks each environment for each variant of each fault, by the same code that refuses a
// run.
func faultRows(environments []trial) (rows []faultRow) {
	for _, e := range nemesis.All() {
		row := faultRow{Fault: e.Name, Environments: map[string]possibility{}}
		for _, w := range environments {
			row.Environments[w.name] = w.offers(e)
		}
		rows = append(rows, row)
	}
	return rows
}

// offers says which variants of a fault the environment has.
func (t trial) offers(e nemesis.Entry) possibility {
	if t.err != nil {
		return possibility{Possible: "-"}
	}
	p, all := possibility{Possible: yes}, variants(e)
	for _, v := range all {
		s, err := e.Scenario(v, anyPlan(e, t.ground))
		if err == nil {
			err = t.ground.Possible(s)
		}
		if err != nil {
			p.Lacks, p.Because = append(p.Lacks, e.Name+":"+v), reason(err)
		}
	}
	switch len(p.Lacks) {
	case 0:
	case len(all):
		p.Possible, p.Lacks = "no", []string{e.Name}
	default:
		p.Possible = "not " + strings.ReplaceAll(strings.Join(p.Lacks, ", "), e.Name, "")
	}
	return p
}

// reason is why an environment cannot have a fault.
func reason(err error) string {
	var no nemesis.ImpossibleError
	if errors.As(err, &no) {
		err = no.Reason
	}
	return err.Error()
}

// variants are those of a fault, with an example where any number or duration will do.
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

// anyPlan stands for whatever lock the fault is for.
func anyPlan(e nemesis.Entry, g nemesis.Capabilities) nemesis.Params {
	p := nemesis.Params{
		TTL: 2 * time.Second, Hold: 200 * time.Millisecond, Poll: 20 * time.Millisecond, Clients: 4,
		Nodes: 1, Timeout: 250 * time.Millisecond, Capabilities: g,
	}
	if e.Masters {
		p.Nodes = 5
	}
	return p
}
