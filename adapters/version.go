package adapters

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A registry knows how the setup of an adapter takes its library from a registry of packages.
type registry struct {
	file    string         // it names the library and its version
	version *regexp.Regexp // one version; a range, or a name such as latest, would change by itself
	// edit makes the file require another version of the library
	edit func(text, library, old, version string) string
}

var (
	anyVersion = regexp.MustCompile(`^[0-9][0-9A-Za-z.+_-]{0,60}$`)
	semantic   = regexp.MustCompile(`^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]{1,60})?$`)
)

var registries = []registry{
	{"requirements.txt", anyVersion, func(_, library, _, version string) string {
		return library + "==" + version + "\n"
	}},
	{"package.json", semantic, func(text, library, old, version string) string {
		return strings.Replace(text, fmt.Sprintf("%q: %q", library, old),
			fmt.Sprintf("%q: %q", library, version), 1)
	}},
	{"pom.xml", anyVersion, func(text, library, old, version string) string {
		_, artifact, _ := strings.Cut(library, ":")
		before, after, _ := strings.Cut(text, "<artifactId>"+artifact+"</artifactId>")
		return before + "<artifactId>" + artifact + "</artifactId>" + strings.Replace(after,
			"<version>"+old+"<", "<version>"+version+"<", 1)
	}},
	{"Cargo.toml", semantic, func(text, _, old, version string) string {
		return strings.Replace(text, `"=`+old+`"`, `"=`+version+`"`, 1)
	}},
	{"go.mod.txt", semantic, func(text, library, old, version string) string {
		text = strings.Replace(text, library+" v"+old+"\n", library+" v"+version+"\n", 1)
		return indirect.ReplaceAllString(text, "")
	}},
}

// offered matches the list of all versions in an error of pip.
var offered = regexp.MustCompile(`from versions: ([^)]*)`)

// near is the number of versions that an error names on each side of the missing one.
const near = 3

// nearest returns a line of a log with the versions that are nearest to a missing one instead of
// all.
func nearest(line, version string) string {
	if at := offered.FindStringSubmatchIndex(line); at != nil {
		all := strings.Split(line[at[2]:at[3]], ", ")
		i := slices.IndexFunc(all, func(v string) bool { return compareVersions(v, version) > 0 })
		if i < 0 {
			i = len(all)
		}
		few := slices.Clone(all[max(0, i-near):min(len(all), i+near)])
		if len(few) < len(all) {
			few = append(few, "…")
		}
		line = line[:at[2]] + strings.Join(few, ", ") + line[at[3]:]
	}
	return line
}

// compareVersions compares two versions by their numbers.
func compareVersions(a, b string) int {
	return slices.Compare(numbers(a), numbers(b))
}

// numbers returns the leading numbers of the parts of a version.
func numbers(version string) (all []int) {
	for part := range strings.SplitSeq(version, ".") {
		end := strings.IndexFunc(part, func(r rune) bool { return r < '0' || r > '9' })
		if end < 0 {
			end = len(part)
		}
		n, _ := strconv.Atoi(part[:end])
		all = append(all, n)
	}
	return all
}

// indirect matches the requirements of a go.mod that follow from the others.
var indirect = regexp.MustCompile(`(?m)^.*// indirect\n`)

// unpinned are the words of a setup that keep the versions of all packages, and their replacements.
// The locked versions belong to the adapter's own version of the library. npm refuses a version
// that names another one of the client as its peer, unless it is told to ignore peers.
var unpinned = map[string]string{"--require-hashes": "", "package-lock.json": "",
	"ci":       "install --legacy-peer-deps",
	"--silent": "--loglevel=error", "Cargo.lock": "", "--locked": "", "-mod=readonly": "-mod=mod"}

// WithVersion returns the adapter with another version of its library. It has a name, a hash and a
// folder in the cache of its own, so that its setup does not change the adapter.
func (a Adapter) WithVersion(version string) (Adapter, error) {
	if version == a.Version {
		return a, nil
	}
	r, text, err := a.registry()
	if err != nil {
		return a, err
	}
	if !r.version.MatchString(version) {
		return a, fmt.Errorf("%s@%s: %q is not a version of %s; write it in full, such as %s@%s", a.Name,
			version, version, a.Library, a.Name, a.Version)
	}
	edited := r.edit(text, a.Library, a.Version, version)
	if edited == text {
		return a, fmt.Errorf("%s@%s: the version is not where lockbench looks for it in %s; copy the "+
			"adapter's folder and change it there", a.Name, version, r.file)
	}
	a.files = replaced{a.files, r.file, edited}
	a.Manifest.Setup = unpin(a.Manifest.Setup)
	if r.file == "go.mod.txt" {
		a.Manifest.Setup = append(a.Manifest.Setup, a.confirm(version))
	}
	a.Name, a.Version, a.Other = a.Name+"@"+version, version, true
	a.Hash, err = a.hash()
	return a, err
}

// registry returns the registry of the adapter's library, and the text of its file.
func (a Adapter) registry() (registry, string, error) {
	for _, r := range registries {
		if text, err := fs.ReadFile(a.files, r.file); err == nil && a.Posted == "" {
			return r, string(text), nil
		}
	}
	return registry{}, "", fmt.Errorf("the adapter %s has only the version %s; NAME@VERSION is for "+
		"libraries from PyPI, npm, Maven, crates.io and Go modules", a.Name, a.Version)
}

// unpin returns the commands of a setup without the pins of the adapter's own version.
func unpin(setup [][]string) (all [][]string) {
	for _, words := range setup {
		if strings.Contains(strings.Join(words, " "), "sha256sum --check") {
			continue
		}
		var kept []string
		for _, w := range words {
			if to, pinned := unpinned[w]; pinned {
				kept = append(kept, strings.Fields(to)...)
			} else {
				kept = append(kept, w)
			}
		}
		all = append(all, kept)
	}
	return all
}

// confirm returns a command that fails if Go has chosen a later version than the user's, which
// happens if another module of the build requires it.
func (a Adapter) confirm(version string) []string {
	return []string{"sh", "-c", fmt.Sprintf(`v=$(go list -C "{cache}/build" -mod=mod -m -f `+
		`'{{.Version}}' %s) && test "$v" = "v%s" || { echo "the build needs %[1]s $v"; exit 1; }`,
		a.Library, version)}
}

// replaced is a file system with another text in one file.
type replaced struct {
	fs.FS
	name, text string
}

// ReadFile returns the other text of the file, and the content of each other file.
func (r replaced) ReadFile(name string) ([]byte, error) {
	if name == r.name {
		return []byte(r.text), nil
	}
	return fs.ReadFile(r.FS, name)
}
