package archtest

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxWidth is how long a line may be, in characters, so that two files fit side by side. Raw
// strings and
// addresses cannot be broken.
const maxWidth = 100

func TestLinesAreShort(t *testing.T) {
	for _, f := range goFiles(t) {
		for i, line := range lines(t, f) {
			n := utf8.RuneCountInString(line)
			if n > maxWidth && !strings.Contains(line, "`") && !strings.Contains(line, "://") {
				t.Errorf("%s:%d has %d columns, of %d", f, i+1, n, maxWidth)
			}
		}
	}
}

// vague are subjects that do not exist: the client, the node or the harness does something.
var vague = regexp.MustCompile(`//.*\b([Nn]obody|[Ss]omebody|[Ww]hoever|[Ww]homever)\b`)

func TestCommentsHaveSubjects(t *testing.T) {
	for _, f := range goFiles(t) {
		for i, line := range lines(t, f) {
			if w := vague.FindStringSubmatch(line); w != nil && f != "internal/dev/archtest/style_test.go" {
				t.Errorf("%s:%d: %q is no subject; name the client, the node, the harness", f, i+1, w[1])
			}
		}
	}
}

// asksForRace finds what does less, or nothing, with the race detector.
var asksForRace = regexp.MustCompile(`testenv\.(Large|SkipRace)\(|testenv\.Race\b`)

// TestNothingIsLostToTheRaceDetector: `make test` also runs a package without the detector if a test
// of it does less with it.
func TestNothingIsLostToTheRaceDetector(t *testing.T) {
	makefile := strings.Join(lines(t, "Makefile"), " ")
	_, large, _ := strings.Cut(makefile, "LARGE :=")
	large, _, _ = strings.Cut(large, "RACED =")
	for _, f := range goFiles(t) {
		if !strings.HasSuffix(f, "_test.go") || strings.HasPrefix(f, "lab/") {
			continue
		}
		if asksForRace.MatchString(strings.Join(lines(t, f), "\n")) &&
			!isNamed(large, strings.TrimPrefix(path.Dir(f), "internal/")) {
			t.Errorf("%s asks for the race detector; name its package in LARGE or ALONE of the Makefile", f)
		}
	}
}

// startsGoroutine finds what starts one.
var startsGoroutine = regexp.MustCompile(`(?m)^\s*go (func|\w+)\b.*\(|\.Go\(|\bpool\.Each\(`)

// TestWhatRunsAloneStartsNoGoroutine: the race detector would see nothing in the packages of ALONE
// in the Makefile.
func TestWhatRunsAloneStartsNoGoroutine(t *testing.T) {
	makefile := strings.Join(lines(t, "Makefile"), "\n")
	_, alone, found := strings.Cut(makefile, "ALONE :=")
	if !found {
		t.Fatal("the Makefile has no ALONE")
	}
	alone, _, _ = strings.Cut(alone, "RACED =")
	checked := 0
	for _, f := range goFiles(t) {
		room := strings.TrimPrefix(path.Dir(f), "internal/")
		if strings.HasSuffix(f, "_test.go") || !isNamed(alone, room) {
			continue
		}
		checked++
		if m := startsGoroutine.FindString(strings.Join(lines(t, f), "\n")); m != "" {
			t.Errorf("%s starts a goroutine with %q; take its package out of ALONE in the Makefile", f, m)
		}
	}
	if checked < 100 {
		t.Errorf("only %d files", checked)
	}
}

// isNamed reports whether a list of the Makefile has a room, or a pattern with % for it.
func isNamed(list, room string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(list, func(r rune) bool {
		return strings.ContainsRune(" ,()\t\n\\", r)
	}), func(name string) bool {
		prefix, isPattern := strings.CutSuffix(name, "%")
		return name == room || isPattern && strings.HasPrefix(room, prefix)
	})
}

// goFiles are the Go files of the repository that git knows, but for test data.
func goFiles(t *testing.T) (files []string) {
	t.Helper()
	out, err := exec.Command("git", "-C", filepath.Join("../../.."), "ls-files", "-co",
		"--exclude-standard", "*.go").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range strings.Fields(string(out)) {
		_, err := os.Stat(filepath.Join("../../..", f))
		if err == nil && !strings.Contains(f, "testdata/") {
			files = append(files, f)
		}
	}
	if len(files) < 100 {
		t.Fatalf("git knows only %d files", len(files))
	}
	return files
}

func lines(t *testing.T, file string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../../..", file))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(b), "\n")
}
