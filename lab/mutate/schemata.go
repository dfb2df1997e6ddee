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

// Choice is the variable of the environment that chooses the mutant in a program of Build: its
// number, from 1; none: the locks as they are.
const Choice = "LOCKBENCH_LOCK_MUTANT"

// helperFile is added to the package of the locks.
const helperFile = "mutant_helpers.go"

// helpers choose a mutant, and are the words that some mutants need.
const helpers = `package impls

import (
	"os"
	"strconv"
	"time"
)

var chosenMutant, _ = strconv.Atoi(os.Getenv("` + Choice + `"))

// wallClock stands where a lock read its monotonic clock.
func wallClock(e Env) time.Duration { return time.Duration(e.Now().UnixNano()) }

// monotonicClock stands where a lock read its wall clock.
func monotonicClock(e Env) time.Time { return time.Unix(0, int64(e.Elapsed())) }

// chooseScript changes a script if its mutant is chosen.
func chooseScript(source string) string {
	if s, ok := mutantScripts[chosenMutant]; ok && s[0] == source {
		return s[1]
	}
	return source
}
`

// noScripts is what follows the helpers where there are no scripts.
const noScripts = "\nvar mutantScripts map[int][2]string\n"

// scriptFunction is the function of the locks that every script goes through, and its argument.
const (
	scriptFile     = "script.go"
	scriptFunction = "lua"
	scriptArgument = "source"
)

// Build compiles a program with all mutants in it: a function with mutants begins with one copy of
// its body for each. Folder is that of the locks and name the program's package, as the go command
// in dir is to be asked for it.
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

// withChoices are the files of the locks with all mutants in them. A mutant's number is its place
// in the list, from 1.
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

// withCopies puts the changed bodies of a file at the beginning of their functions.
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

// choice is the case of a mutant. A copy of the body is a function of its own, so that what it
// declares means the same as in the original.
func choice(number int, results, body string) string {
	if results == "" {
		return fmt.Sprintf("\tcase %d:\n\t\tfunc() %s()\n\t\treturn\n", number, body)
	}
	return fmt.Sprintf("\tcase %d:\n\t\treturn func() %s%s()\n", number, results, body)
}

// body is the body between two offsets as a mutant changes it.
func body(text string, m Mutant, from, to int) string {
	shifted := make([]edit, len(m.edits))
	for i, e := range m.edits {
		shifted[i] = edit{e.from - from, e.to - from, e.text}
	}
	return apply(text[from:to], shifted)
}

// chooseScripts lets every script go through the choice.
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
