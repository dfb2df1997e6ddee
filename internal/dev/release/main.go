// Command release writes the documents of a release: an SBOM of each binary, and the licences of
// all its modules. It reads nothing but the binary, so that two builds give the same bytes.
//
//	release sbom BINARY DOCUMENT
//	release licences BINARY FOLDER
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return errors.New("usage: release sbom BINARY DOCUMENT, or release licences BINARY FOLDER")
	}
	info, err := buildinfo.ReadFile(args[1])
	if err != nil {
		return err
	}
	switch args[0] {
	case "sbom":
		return sbom(info, args[2])
	case "licences":
		return licences(info, args[2])
	}
	return fmt.Errorf("%q is no command", args[0])
}

// component is a module in CycloneDX' words.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	PURL    string `json:"purl,omitempty"`
}

// sbom writes a bill of materials in the format CycloneDX 1.5. It has no time and no serial number.
func sbom(info *buildinfo.BuildInfo, name string) error {
	doc := struct {
		Format     string         `json:"bomFormat"`
		Spec       string         `json:"specVersion"`
		Version    int            `json:"version"`
		Metadata   map[string]any `json:"metadata"`
		Components []component    `json:"components"`
	}{Format: "CycloneDX", Spec: "1.5", Version: 1, Metadata: map[string]any{
		"component": component{Type: "application", Name: info.Main.Path}}}
	doc.Components = append(doc.Components, component{"library", "std", info.GoVersion,
		"pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")})
	for _, m := range modules(info) {
		doc.Components = append(doc.Components, component{"library", m.Path, m.Version,
			"pkg:golang/" + m.Path + "@" + m.Version})
	}
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}

// modules returns the modules in the binary. A replacement takes the place of the module that it
// replaces.
func modules(info *buildinfo.BuildInfo) (out []*debug.Module) {
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		out = append(out, m)
	}
	return out
}

// licences copies the licences and notices of all modules, and of Go, into a folder. A module
// without one is an error: it must not be given away.
func licences(info *buildinfo.BuildInfo, folder string) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	from := map[string]string{"go": strings.TrimSpace(string(root))}
	for _, m := range modules(info) {
		var found struct{ Dir string }
		out, err := exec.Command("go", "mod", "download", "-json", m.Path+"@"+m.Version).Output()
		if err := errors.Join(err, json.Unmarshal(out, &found)); err != nil {
			return fmt.Errorf("%s: %w", m.Path, err)
		}
		from[m.Path] = found.Dir
	}
	for path, dir := range from {
		if err := copyLicences(dir, filepath.Join(folder, filepath.FromSlash(path))); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// licenceNames are how files with terms begin.
var licenceNames = []string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS", "UNLICENSE"}

func copyLicences(dir, to string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	copied := 0
	for _, f := range files {
		for _, name := range licenceNames {
			if f.IsDir() || !strings.HasPrefix(strings.ToUpper(f.Name()), name) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, f.Name()))
			if err == nil {
				err = os.MkdirAll(to, 0o755)
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(to, f.Name()), text, 0o644)
			}
			if err != nil {
				return err
			}
			copied++
			break
		}
	}
	if copied == 0 {
		return errors.New("no licence was found")
	}
	return nil
}
