package gate

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/lockbench/lockbench/history"
)

// The keys of a gate file. An entry has the plan's options beside its own.
var (
	gateKeys = []string{"environment", "seed", "seeds", "repeats", "budget", "defaults",
		"allow_unknown",
		"entries"}
	entryKeys = []string{"name", "environment", "expect", "replay", "seed", "seeds", "repeats",
		"budget"}
)

// oldKeys are the keys that have another name since format 1 of gate.json.
var oldKeys = map[string]string{"world": "environment"}

// Environments are those that a gate may name.
var Environments = []string{"process", "docker", "external", "sim"}

// The defaults of an entry: several runs that must agree (docs/ci.md, What a gate says).
const (
	defaultSeeds   = 3
	defaultRepeats = 1
	searchSeeds    = 1_000_000 // of an entry that looks until it finds
	maxRuns        = 1_000_000
)

// Read reads a gate file strictly: an unknown key, a wrong type or a name that is used twice is
// an error, in one line with its place and what to do. Options are the names that a plan's settings
// have in the file.
func Read(file string, src []byte, options []string) (*File, error) {
	r := gateReader{yamlReader: yamlReader{file}, gate: &File{File: file, Digest: digest(src),
		Seed: 1}, options: options, seeds: defaultSeeds, repeats: defaultRepeats}
	fields, err := r.document(src)
	if err != nil {
		return nil, err
	}
	for _, f := range fields {
		if err := r.top(f); err != nil {
			return nil, err
		}
	}
	if err := r.entries(); err != nil {
		return nil, err
	}
	return r.gate, r.allowed()
}

type gateReader struct {
	yamlReader
	gate           *File
	options        []string
	defaults       []Option
	list           []ast.Node // the entries, read last: they need the rest
	allow          *field
	seeds, repeats int
	counted        bool // seeds were named for the whole file
}

// top reads a key of the file.
func (r *gateReader) top(f field) (err error) {
	g := r.gate
	switch f.name {
	case "environment":
		g.Environment, err = r.environment(f)
	case "seed":
		g.Seed, err = r.number(f, 0)
	case "seeds":
		r.seeds, err = r.count(f)
		r.counted = true
	case "repeats":
		r.repeats, err = r.count(f)
	case "budget":
		g.Budget, err = r.duration(f)
	case "defaults":
		var fields []field
		if fields, err = r.mapping(f.value, "defaults"); err != nil {
			return err
		}
		for _, d := range fields {
			if err := r.option(&r.defaults, d, r.options); err != nil {
				return err
			}
		}
	case "allow_unknown":
		r.allow = &f
		g.AllowUnknown, err = r.texts(f.value, f.name)
	case "entries":
		r.list, err = r.sequence(f.value, "entries")
	default:
		return f.unknown(gateKeys)
	}
	return err
}

// environment refuses what is no environment, and auto above all.
func (r *gateReader) environment(f field) (string, error) {
	s, err := r.text(f.value, "environment")
	switch {
	case err != nil:
		return "", err
	case s == "auto":
		return "",
			f.at.Errorf(
				"environment: auto is refused: a gate that runs elsewhere tomorrow proves something else "+
					"tomorrow; name one of %s", strings.Join(Environments, ", "))
	case !slices.Contains(Environments, s):
		return "", f.at.Errorf("there is no environment %q; name one of %s", s, strings.Join(Environments,
			", "))
	}
	return s, nil
}

func (r *gateReader) number(f field, least uint64) (uint64, error) {
	s, err := r.text(f.value, f.name)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n < least {
		return 0, r.at(f.value.GetToken()).Errorf("%s is %q; it must be a whole number of %d or more",
			f.name, s, least)
	}
	return n, nil
}

func (r *gateReader) count(f field) (int, error) {
	n, err := r.number(f, 1)
	if err == nil && n > maxRuns {
		return 0, r.at(f.value.GetToken()).Errorf("%s is %d; at most %d are possible", f.name, n, maxRuns)
	}
	return int(n), err
}

func (r *gateReader) duration(f field) (history.Duration, error) {
	s, err := r.text(f.value, f.name)
	if err != nil {
		return 0, err
	}
	d, err := duration(strings.Fields(s))
	if err != nil {
		return 0,
			r.at(f.value.GetToken()).Errorf("%s is %q; it must be a time above zero, such as 90s or 5m",
				f.name, s)
	}
	return d, nil
}

// option adds a setting of the plan.
func (r *gateReader) option(to *[]Option, f field, known []string) error {
	if !slices.Contains(r.options, f.name) {
		return f.unknown(known)
	}
	vs, err := r.texts(f.value, f.name)
	if err != nil {
		return err
	}
	*to = append(*to, Option{Name: f.name, Values: vs, At: r.at(f.value.GetToken())})
	return nil
}

// entries reads the entries.
func (r *gateReader) entries() error {
	start := Position{r.file, 1, 1}
	if r.gate.Environment == "" {
		return start.Errorf(
			"no environment is named; add a line such as `environment: process`; there are: %s",
			strings.Join(Environments, ", "))
	}
	if len(r.list) == 0 {
		return start.Errorf(
			"there are no entries, so there is nothing to prove; `lockbench gate --init` writes an example")
	}
	names := map[string]int{}
	for _, n := range r.list {
		e, err := r.entry(n)
		if err != nil {
			return err
		}
		if line := names[e.Name]; line != 0 {
			return e.At.Errorf(
				"%q is also the name of the entry in line %d; give one of them another `name:`", e.Name, line)
		}
		names[e.Name] = e.At.Line
		r.gate.Entries = append(r.gate.Entries, *e)
	}
	return nil
}

// allowed refuses a permission for an entry that there is not.
func (r *gateReader) allowed() error {
	for _, name := range r.gate.AllowUnknown {
		if !slices.ContainsFunc(r.gate.Entries, func(e Entry) bool { return e.Name == name }) {
			return r.allow.at.Errorf(
				"allow_unknown names %q, and no entry is called so; use an entry's `name:`", name)
		}
	}
	return nil
}

// path is a file that a gate names, as seen from the gate file.
func (r *gateReader) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(r.file), filepath.FromSlash(name))
}
