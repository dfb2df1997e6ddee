package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"github.com/lockbench/lockbench/docker"
	"github.com/spf13/cobra"
)

// finding is a row of doctor: one thing that lockbench can use.
type finding struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Found  string `json:"found"`            // version, or what is wrong
	For    string `json:"for"`              // what it is good for
	Advice string `json:"advice,omitempty"` // what to do if it is missing
}

// diagnosis is all that doctor says.
type diagnosis struct {
	Findings []finding         `json:"findings"`
	Worlds   map[string]string `json:"worlds"` // "yes", or why not
}

// enoughFiles is what 64 clients, 9 masters and their proxies may have open.
const enoughFiles = 4096

func doctorCommand() *cobra.Command {
	var asJSON, clean bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is there, and which worlds and faults are possible",
		Long:  "doctor looks for what lockbench can use and says what to do about the rest. Exit code 0: at least one world works.",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if clean {
				return cleanUp(c)
			}
			d := diagnose(c.Context())
			if asJSON {
				enc := json.NewEncoder(c.OutOrStdout())
				enc.SetIndent("", "  ")
				if err := enc.Encode(d); err != nil {
					return broken(err)
				}
			} else {
				d.write(c.OutOrStdout())
			}
			for _, possible := range d.Worlds {
				if possible == "yes" {
					return nil
				}
			}
			return exit{code: 1}
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&clean, "clean", false, "remove the containers that killed runs left behind, and nothing else")
	return c
}

// cleanUp removes containers of runs that are over. Those of others are never touched.
func cleanUp(c *cobra.Command) error {
	n, err := docker.Sweep(c.Context(), true)
	if err != nil {
		return usage(err)
	}
	fmt.Fprintf(c.OutOrStdout(), "%d containers of runs that are over were removed\n", n)
	return nil
}

// lookForDocker says whether the world docker can be had.
func lookForDocker(ctx context.Context) (f finding, possible string) {
	f, possible = finding{Name: "docker", For: "world docker"}, "yes"
	v, err := docker.Version(ctx)
	if err != nil {
		f.Found, f.Advice, _ = strings.Cut(err.Error(), ": ")
		return f, f.Found
	}
	f.OK, f.Found = true, "daemon "+v
	if err := docker.Ready(ctx, docker.Options{}); err != nil {
		possible = err.Error()
	}
	return f, possible
}

func diagnose(ctx context.Context) diagnosis {
	daemon, contained := lookForDocker(ctx)
	redis := program("redis-server", "world process", "apt-get install redis-server, or make run", "--version")
	d := diagnosis{
		Findings: []finding{
			redis,
			program("cc", "fault clock-server", "apt-get install gcc libc6-dev", "--version"),
			daemon,
			program("chromium", "tests of the report", "apt-get install chromium", "--version"),
			temporaryFolder(), openFiles(),
		},
		Worlds: map[string]string{"process": "yes", "docker": contained, "sim": "yes"},
	}
	switch {
	case runtime.GOOS != "linux":
		d.Worlds["process"] = "it is for Linux"
	case !redis.OK:
		d.Worlds["process"] = "redis-server is missing"
	}
	return d
}

// program looks for a command and asks for its version.
func program(name, use, advice, ask string) finding {
	f := finding{Name: name, For: use, Advice: advice, Found: "not found"}
	path, err := exec.LookPath(name)
	if err != nil {
		return f
	}
	out, err := exec.Command(path, ask).Output()
	first, _, _ := strings.Cut(string(out), "\n")
	if err != nil {
		f.Found = fmt.Sprintf("%s does not run: %v", path, err)
		return f
	}
	f.OK, f.Found, f.Advice = true, first, ""
	return f
}

func temporaryFolder() finding {
	f := finding{Name: "temporary folder", For: "world process", OK: true, Found: os.TempDir()}
	dir, err := os.MkdirTemp("", "lockbench-doctor-")
	if err != nil {
		f.OK, f.Found, f.Advice = false, err.Error(), "set TMPDIR to a folder that can be written"
	}
	os.RemoveAll(dir)
	return f
}

func openFiles() finding {
	f := finding{Name: "open files", For: "many clients"}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		f.Found = err.Error()
		return f
	}
	f.OK, f.Found = limit.Cur >= enoughFiles, fmt.Sprint(limit.Cur)
	if !f.OK {
		f.Advice = fmt.Sprintf("ulimit -n %d", enoughFiles)
	}
	return f
}

func (d diagnosis) write(w io.Writer) {
	for _, f := range d.Findings {
		mark := "✓"
		if !f.OK {
			mark = "✕"
		}
		fmt.Fprintf(w, "%s %-17s %s\n", mark, f.Name, f.Found)
		if !f.OK {
			fmt.Fprintf(w, "  for %s: %s\n", f.For, f.Advice)
		}
	}
	fmt.Fprintln(w)
	for _, name := range []string{"process", "docker", "sim"} {
		if possible, ok := d.Worlds[name]; ok {
			fmt.Fprintf(w, "world %-8s %s\n", name, possible)
		}
	}
}
