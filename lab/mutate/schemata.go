package mutate

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// Choice is the environment variable that selects the mutant in a program of Build by its number,
// from 1. If it is unset, the program uses the original locks.
const Choice = "LOCKBENCH_LOCK_MUTANT"

// helperFile is a file that is added to the package of the locks.
const helperFile = "mutant_helpers.go"

// helpers selects a mutant and defines the functions that some mutants use.
const helpers = `package impls

import (
	"os"
	"strconv"
	"time"
)

var chosenMutant, _ = strconv.Atoi(os.Getenv("` + Choice + `"))

// wallClock replaces the monotonic clock of a lock.
func wallClock(e Env) time.Duration { return time.Duration(e.Now().UnixNano()) }

// monotonicClock replaces the wall clock of a lock.
func monotonicClock(e Env) time.Time { return time.Unix(0, int64(e.Elapsed())) }

// chooseScript returns the changed script if a mutant of it is selected.
func chooseScript(source string) string {
	if s, ok := mutantScripts[chosenMutant]; ok && s[0] == source {
		return s[1]
	}
	return source
}
`

// noScripts follows the helpers if no script changes.
const noScripts = "\nvar mutantScripts map[int][2]string\n"

// scriptFunction is the function through which the locks load every script.
const (
	scriptFile     = "script.go"
	scriptFunction = "lua"
	scriptArgument = "source"
)

// Build compiles a program that contains all mutants. Each function with mutants starts with a copy
// of its body for each of them. Folder is the directory of the locks, dir the working directory of
// the go command, and name the program's package.
func Build(folder string, files fs.FS, mutants []Mutant, dir, name, to string) error {
	changed, err := withChoices(files, mutants)
	if err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	if folder, err = filepath.Abs(folder); err != nil {
		return err
	}
	replace := map[string]string{}
	for file, text := range changed {
		copied := filepath.Join(temporary, file)
		replace[filepath.Join(folder, file)] = copied
		if err := os.WriteFile(copied, []byte(text), 0o600); err != nil {
			return err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	overlay := filepath.Join(temporary, "overlay.json")
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-trimpath", "-overlay", overlay, "-o", to, name)
	build.Dir, build.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("the mutants do not compile: %w\n%s", err, out)
	}
	return nil
}

// withChoices returns the files of the locks with all mutants. The number of a mutant is its
// position in the list, from 1.
func withChoices(files fs.FS, mutants []Mutant) (map[string]string, error) {
	byFile := map[string][]int{}
	for i, m := range mutants {
		byFile[m.File] = append(byFile[m.File], i)
	}
	changed, scripts := map[string]string{}, "\nvar mutantScripts = map[int][2]string{\n"
	for file, numbers := range byFile {
		text, err := fs.ReadFile(files, file)
		if err != nil {
			return nil, err
		}
		if path.Ext(file) != ".lua" {
			if changed[file], err = withCopies(string(text), mutants, numbers); err != nil {
				return nil, err
			}
			continue
		}
		for _, i := range numbers {
			scripts += fmt.Sprintf("\t%d: {%q, %q},\n", i+1, text, apply(string(text), mutants[i].edits))
		}
	}
	changed[helperFile] = helpers + scripts + "}\n"
	return changed, chooseScripts(files, changed)
}

// withCopies inserts the changed bodies at the start of their functions.
func withCopies(text string, mutants []Mutant, numbers []int) (string, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", text, 0)
	if err != nil {
		return "", err
	}
	var edits []edit
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		from, to := set.Position(f.Body.Lbrace).Offset, set.Position(f.Body.Rbrace).Offset+1
		results, cases := "", ""
		if f.Type.Results != nil {
			results = text[set.Position(f.Type.Params.End()).Offset:from]
		}
		for _, i := range numbers {
			m := mutants[i]
			if e := m.edits[0]; e.from < from || e.to > to {
				continue
			}
			cases += choice(i+1, results, body(text, m, from, to))
		}
		if cases != "" {
			edits = append(edits, edit{from + 1, from + 1, "\n\tswitch chosenMutant {\n" + cases + "\t}\n"})
		}
	}
	return apply(text, edits), nil
}

// choice returns the case of a mutant. It wraps the copy of the body in a function, so that its
// declarations keep their scope.
func choice(number int, results, body string) string {
	if results == "" {
		return fmt.Sprintf("\tcase %d:\n\t\tfunc() %s()\n\t\treturn\n", number, body)
	}
	return fmt.Sprintf("\tcase %d:\n\t\treturn func() %s%s()\n", number, results, body)
}

// body returns the text between two offsets with the changes of a mutant.
func body(text string, m Mutant, from, to int) string {
	shifted := make([]edit, len(m.edits))
	for i, e := range m.edits {
		shifted[i] = edit{e.from - from, e.to - from, e.text}
	}
	return apply(text[from:to], shifted)
}

// chooseScripts makes every script pass through chooseScript.
func chooseScripts(files fs.FS, changed map[string]string) error {
	text, err := fs.ReadFile(files, scriptFile)
	if err != nil {
		return err
	}
	head := "func " + scriptFunction + "(" + scriptArgument + " string) string {\n"
	if !strings.Contains(string(text), head) {
		return fmt.Errorf("%s has no function that begins with %q", scriptFile, head)
	}
	changed[scriptFile] = strings.Replace(string(text), head,
		head+"\t"+scriptArgument+" = chooseScript("+scriptArgument+")\n", 1)
	return nil
}
