package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/strictyaml"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/runner"
)

// environments lists the environments that a gate may name.
var environments = slices.DeleteFunc(runner.Environments(),
	func(name string) bool { return name == runner.Auto })

// The defaults of an entry: several runs that must agree (docs/ci.md, What a gate says).
const (
	defaultSeeds = 3
	searchSeeds  = 1_000_000 // of an entry that looks until it finds
	maxRuns      = 1_000_000
)

// common is what an entry may say, and the whole file for all entries.
type common struct {
	Environment string        `yaml:"environment"`
	Seed        uint64        `yaml:"seed"`
	Seeds       int           `yaml:"seeds,positive"`
	Repeats     int           `yaml:"repeats,positive"`
	Budget      time.Duration `yaml:"budget,positive"`
}

// document is a gate file.
type document struct {
	Format  int      `yaml:"format,positive"`
	Written *Written `yaml:"written"`
	common
	Defaults     settings           `yaml:"defaults"`
	AllowUnknown []string           `yaml:"allow_unknown"`
	Entries      []strictyaml.Value `yaml:"entries"`
}

// settings are the options of a plan, as in `lockbench run`.
type settings struct {
	Lease    string   `yaml:"ttl"`
	Watchdog bool     `yaml:"watchdog"`
	Config   []string `yaml:"redis_config"`
	harness.RunOptions
	place
}

// place is a harness.Place with the names of its flags.
type place struct {
	Server      string   `yaml:"server"`
	Image       string   `yaml:"redis_image"`
	Network     string   `yaml:"docker_network"`
	Workers     string   `yaml:"workers"`
	Addrs       []string `yaml:"addr,commas"`
	TLS         bool     `yaml:"tls"`
	AnyDatabase bool     `yaml:"any_database"`
}

// Read reads a gate file strictly: an unknown field, a wrong type or a name that is used twice is
// an error, in one line with its place and what to do.
func Read(file string, src []byte) (*File, error) {
	help := "`" + advice.GateInit.String() + "` writes an example"
	v, err := strictyaml.Parse(file, src)
	if errors.Is(err, strictyaml.ErrEmpty) {
		return nil, fmt.Errorf("%w; %s", err, help)
	} else if err != nil {
		return nil, err
	}
	d := document{common: common{Seed: 1, Seeds: defaultSeeds, Repeats: 1},
		Defaults: settings{Watchdog: true, RunOptions: harness.RunOptions{Nemesis: "none"}}}
	if err := v.CheckFormat(Format); err != nil {
		return nil, err
	}
	given, err := decode(v, &d)
	if err != nil {
		return nil, err
	}
	start := strictyaml.Position{File: file, Line: 1, Column: 1}
	switch {
	case d.Environment == "":
		return nil, start.Errorf(
			"no environment is named; add a line such as `environment: process`; there are: %s",
			strings.Join(environments, ", "))
	case len(d.Entries) == 0:
		return nil, start.Errorf("it has no entries, so there is nothing to prove; %s", help)
	}
	sum := sha256.Sum256(src)
	g := &File{File: file, Digest: "sha256:" + hex.EncodeToString(sum[:]), Seed: d.Seed,
		Environment: d.Environment, Budget: history.Duration(d.Budget), AllowUnknown: d.AllowUnknown,
		Written: d.Written}
	if err := g.add(d, given); err != nil {
		return nil, err
	}
	for _, name := range d.AllowUnknown {
		if !slices.ContainsFunc(g.Entries, func(e Entry) bool { return e.Name == name }) {
			return nil, given["allow_unknown"].At.Errorf(
				"allow_unknown names %q, and no entry is called so; use an entry's `name:`", name)
		}
	}
	return g, nil
}

func (g *File) add(d document, given fields) error {
	lines := map[string]int{}
	for _, v := range d.Entries {
		e, err := d.entry(v, given)
		if err != nil {
			return err
		}
		if line := lines[e.Name]; line != 0 {
			return e.At.Errorf(
				"%q is also the name of the entry in line %d; give one of them another `name:`", e.Name, line)
		}
		lines[e.Name] = e.At.Line
		g.Entries = append(g.Entries, e)
	}
	return nil
}

// fields are what a mapping says, by name.
type fields map[string]strictyaml.Field

// decode fills a document or an entry, and refuses what neither may say.
func decode[T interface{ *document | *entry }](v strictyaml.Value, into T) (fields, error) {
	if err := v.Decode(into); err != nil {
		return nil, err
	}
	pairs, err := v.Fields()
	given := fields{}
	for _, f := range pairs {
		given[f.Name] = f
		if err := limit(f); err != nil {
			return nil, err
		}
	}
	return given, err
}

// limit refuses an invalid environment, such as auto, and too many runs.
func limit(f strictyaml.Field) error {
	text, err := f.Value.Text()
	if err != nil {
		return nil // a list or a mapping has been read
	}
	switch f.Name {
	case "environment":
		if text == runner.Auto {
			return f.At.Errorf("environment: auto is refused: a gate that runs elsewhere tomorrow proves "+
				"something else tomorrow; name one of %s", strings.Join(environments, ", "))
		} else if !slices.Contains(environments, text) {
			return f.At.Errorf("unknown environment %q; name one of %s", text,
				strings.Join(environments, ", "))
		}
	case "seeds", "repeats":
		if n, _ := strconv.Atoi(text); n > maxRuns {
			return f.Value.Errorf("%s is %d; at most %d are possible", f.Name, n, maxRuns)
		}
	}
	return nil
}

// fromGate is a file that a gate names, as seen from the gate file.
func fromGate(gate, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(gate), filepath.FromSlash(name))
}
