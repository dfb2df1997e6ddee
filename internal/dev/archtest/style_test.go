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
var asksForRace = regexp.MustCompile(`testenv\.(Large|Once)\(|testenv\.Race\b`)

// TestNothingIsLostToTheRaceDetector: `make test` also runs a package without the detector if a test
// of it does less with it.
func TestNothingIsLostToTheRaceDetector(t *testing.T) {
	makefile := strings.Join(lines(t, "Makefile"), " ")
	_, large, _ := strings.Cut(makefile, "LARGE :=")
	large, _, _ = strings.Cut(large, "HOW =")
	for _, f := range goFiles(t) {
		if !strings.HasSuffix(f, "_test.go") || strings.HasPrefix(f, "lab/") {
			continue
		}
		room := strings.TrimPrefix(path.Dir(f), "internal/")
		if asksForRace.MatchString(strings.Join(lines(t, f), "\n")) &&
			!slices.Contains(strings.FieldsFunc(large, func(r rune) bool {
				return strings.ContainsRune(" ,()\t\\", r)
			}), room) {
			t.Errorf("%s asks for the race detector; name its package in LARGE of the Makefile", f)
		}
	}
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
