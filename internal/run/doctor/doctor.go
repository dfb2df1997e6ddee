// Package doctor checks which programs and features this machine has for lockbench, and tries each
// environment. It gives advice about everything that is missing.
package doctor

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
)

// Finding is the result for one thing that lockbench can use.
type Finding struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Found  string `json:"found"`            // its version, or the problem with it
	For    string `json:"for"`              // its use
	Advice string `json:"advice,omitempty"` // how to get it, unless Found says so
}

// with returns the finding with what a check found, or with its error. If there is no error, the
// finding needs no advice.
func (f Finding) with(found string, err error) Finding {
	if err != nil {
		f.Found = err.Error()
		return f
	}
	f.OK, f.Found, f.Advice = true, found, ""
	return f
}

// Diagnosis is the complete result of doctor.
type Diagnosis struct {
	Findings     []Finding         `json:"findings"`
	Environments map[string]string `json:"environments"` // Yes, or the reason why not
	Faults       []FaultRow        `json:"faults"`
}

// Diagnose checks the machine and tries the environments. It takes some seconds.
func Diagnose(ctx context.Context) Diagnosis {
	redis, daemon := program("redis-server", "environment process", "apt-get install redis-server"),
		dockerDaemon(ctx)
	d := Diagnosis{Environments: map[string]string{}, Findings: slices.Concat([]Finding{
		redis, sentinel(redis), program("cc", "building the clock shim, for the fault clock-server",
			"apt-get install gcc libc6-dev"), clockShim(), daemon,
	}, dockerImages(ctx, daemon.OK), []Finding{
		cgroups(), loopback(), signals(), temporaryFolder(), openFiles(), Load(),
		program("chromium", "tests of the report, and pictures", "apt-get install chromium"),
	}, systems(), toolchains())}
	trials := tryAll(ctx)
	for _, t := range trials {
		d.Environments[t.environment] = t.String()
	}
	d.Faults = faultRows(trials)
	return d
}

// Uses returns the programs whose versions matter for runs on this machine.
func Uses(ctx context.Context) []Finding {
	redis := program("redis-server", "environment process", "apt-get install redis-server")
	return []Finding{redis, dockerDaemon(ctx)}
}

// Healthy reports whether at least one environment works.
func (d Diagnosis) Healthy() bool {
	return slices.Contains(slices.Collect(maps.Values(d.Environments)), string(Yes))
}

// CleanUp removes the folders and containers of runs that are over, and writes their numbers. It
// spares all folders and containers of other programs and of running lockbenches.
func CleanUp(ctx context.Context, w io.Writer) error {
	fmt.Fprintf(w, "temporary folders of runs that are over: %d removed\n", server.Sweep())
	if _, err := docker.Version(ctx); err != nil {
		_, err = fmt.Fprintf(w, "containers: none can be seen (%v)\n", err)
		return err
	}
	n, err := docker.Sweep(ctx, true)
	if err == nil {
		_, err = fmt.Fprintf(w, "containers of runs that are over: %d removed\n", n)
	}
	return err
}

// Text writes the diagnosis for people: what is missing and the environments. With all it also
// writes what is there, and a table of faults with the reasons for those that are not possible.
func (d Diagnosis) Text(w io.Writer, all bool) error {
	d.findings(w, all)
	fmt.Fprintln(w)
	for _, name := range tried {
		fmt.Fprintf(w, "environment %-8s %s\n", name, d.Environments[name])
	}
	if all {
		return d.faults(w)
	}
	_, err := fmt.Fprintf(w, "\n`%s` shows what was found, and which faults each environment has.\n",
		advice.DoctorAll)
	return err
}

// findings writes what is missing, with advice, and what is there: its names, or each with its
// version.
func (d Diagnosis) findings(w io.Writer, all bool) {
	var there []string
	for _, f := range d.Findings {
		switch {
		case f.OK && all:
			fmt.Fprintf(w, "✓ %-17s %s\n", f.Name, f.Found)
		case f.OK:
			there = append(there, f.Name)
		case f.Advice == "":
			fmt.Fprintf(w, "✕ %-17s %s\n  for %s\n", f.Name, f.Found, f.For)
		default:
			fmt.Fprintf(w, "✕ %-17s %s\n  for %s: %s\n", f.Name, f.Found, f.For, f.Advice)
		}
	}
	if len(there) > 0 {
		t := progress.NewTable(w)
		t.Most = 100
		fmt.Fprintf(t, "✓ %s\n", strings.Join(there, ", "))
		t.Flush()
	}
}

// faults writes which faults are possible in which environment.
func (d Diagnosis) faults(w io.Writer) error {
	t := progress.NewTable(w)
	fmt.Fprintf(t, "\nfault\t%s\n", strings.Join(tried, "\t"))
	for _, f := range d.Faults {
		line := f.Fault
		for _, name := range tried {
			line += "\t" + f.Environments[name].String()
		}
		fmt.Fprintln(t, line)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, strings.Join(append(append([]string{""}, d.reasons()...),
		"`"+advice.ListNemeses.String()+"` says what each fault does."), "\n"))
	return err
}

// reasons returns, for each environment, the reasons why faults are not possible. It groups faults
// by reason.
func (d Diagnosis) reasons() (lines []string) {
	for _, name := range tried {
		var reasons []string
		faults := map[string][]string{}
		for _, f := range d.Faults {
			p := f.Environments[name]
			if len(p.Unsupported) == 0 {
				continue
			}
			if faults[p.Reason] == nil {
				reasons = append(reasons, p.Reason)
			}
			faults[p.Reason] = append(faults[p.Reason], p.Unsupported...)
		}
		for _, r := range reasons {
			lines = append(lines, fmt.Sprintf("%s: no %s: %s", name, strings.Join(faults[r], ", "), r))
		}
	}
	return lines
}
