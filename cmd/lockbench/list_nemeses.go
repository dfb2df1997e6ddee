package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/lockbench/lockbench/nemesis"
)

// nemesisRow is a fault as a program reads it.
type nemesisRow struct {
	Name         string                 `json:"name"`
	Line         string                 `json:"line"`
	Lasts        string                 `json:"lasts,omitempty"` // for how long, or how much, by default
	Needs        string                 `json:"needs"`           // the topology; "": any
	Default      string                 `json:"default,omitempty"`
	Variants     []variantRow           `json:"variants"`
	Environments map[string]possibility `json:"environments"`
}

type variantRow struct {
	Name string `json:"name"`
	Line string `json:"line"`
	// nothing may be found that is not found without any fault
	Control bool `json:"control,omitempty"`
}

func nemesisRows() any {
	var rows []nemesisRow
	for _, e := range nemesis.All() {
		r := nemesisRow{e.Name, e.Line, e.Lasts, needs(e), e.Default(), []variantRow{},
			map[string]possibility{}}
		for _, v := range e.Variants {
			r.Variants = append(r.Variants, variantRow{v.Name, v.Line, v.Control})
		}
		for _, g := range nemesis.AllCapabilities() {
			r.Environments[g.Environment] = trial{name: g.Environment, ground: g}.offers(e)
		}
		rows = append(rows, r)
	}
	return rows
}

// needs is the topology that a fault cannot do without.
func needs(e nemesis.Entry) string {
	if e.Failover {
		return "failover, or independent with replicas"
	}
	return e.Needs()
}

func writeNemeses(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "FAULT\tWORLDS\tTOPOLOGY\tWHAT IT DOES")
	for _, r := range nemesisRows().([]nemesisRow) {
		line := r.Line
		if r.Lasts != "" {
			line += " (" + r.Lasts + ")"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", r.Name, where(r.Environments),
			dash(strings.Replace(r.Needs, ", or independent with replicas", "*", 1)), line)
		for i, v := range r.Variants {
			mark := ""
			switch {
			case i == 0:
				mark = " [default]"
			case v.Control:
				mark = " [control]"
			}
			fmt.Fprintf(t, "  :%s\t\t\t%s%s\n", v.Name, v.Line, mark)
		}
	}
	t.Flush()
	fmt.Fprint(w, nemesesNotes())
}

// where lists the environments that have a fault, or a part of its variants.
func where(environments map[string]possibility) string {
	var names []string
	for _, g := range nemesis.AllCapabilities() {
		switch p := environments[g.Environment]; p.Possible {
		case yes:
			names = append(names, g.Environment)
		case "no":
		default:
			names = append(names, g.Environment+" ("+p.Possible+")")
		}
	}
	return strings.Join(names, ", ")
}

// nemesesNotes explain the table.
func nemesesNotes() string {
	return `
* or independent masters with a replica each, for redlock.
Several with commas between them are carried out one after the other in one run. A file in YAML or JSON (./my.yaml) is a fault that you
wrote; docs/formats.md has the format. ` + "`lockbench doctor`" + ` shows what is possible on this machine, and why the rest is not.
`
}
