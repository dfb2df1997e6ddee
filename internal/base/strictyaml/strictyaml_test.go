package strictyaml

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

type port uint16

// address implements encoding.TextUnmarshaler.
type address struct{ host string }

func (a *address) UnmarshalText(b []byte) error {
	if a.host = string(b); a.host == "nowhere" {
		return errors.New("there is no such host")
	}
	return nil
}

type base struct {
	Name string `yaml:"name"`
	Size int    `yaml:"size,positive"`
}

type server struct {
	base
	At      Position
	Port    port              `json:"port,omitempty"`
	Weight  float64           `yaml:"weight"`
	On      bool              `yaml:"on"`
	Every   time.Duration     `yaml:"every"`
	For     time.Duration     `yaml:"for,positive"`
	Address address           `yaml:"address"`
	Tags    []string          `yaml:"tags,commas"`
	Labels  map[string]string `yaml:"labels"`
	Next    *server           `yaml:"next"`
	Below   []server          `yaml:"below"`
	Later   Value             `yaml:"later"`
	Hidden  string
}

// TestDecode reads a file with each kind of field.
func TestDecode(t *testing.T) {
	v, err := Parse("s.yaml", []byte(`# a remark
name: "a: b"
size: 3
port: 6379
weight: 1.5
on: true
every: 1 m
for: 500ms
address: here
tags: a, b
labels: {x: "1", y: z}
next: null
below:
  - name: |-
      two
      lines
    tags: [c]
  - {name: 007, next: {port: 1}}
later: {any: [thing]}
`))
	if err != nil {
		t.Fatal(err)
	}
	got := server{base: base{Size: 1}, Next: &server{}, Hidden: "stays"}
	if err := v.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if texts, err := got.Later.Fields(); err != nil || len(texts) != 1 || texts[0].Name != "any" ||
		!got.Later.Given() || got.Below[0].Later.Given() {
		t.Errorf("later: %v, %v", texts, err)
	}
	got.Later = Value{}
	want := server{base: base{"a: b", 3}, At: Position{"s.yaml", 2, 1}, Port: 6379, Weight: 1.5,
		On: true, Every: time.Minute, For: 500 * time.Millisecond, Address: address{"here"},
		Tags: []string{"a", "b"}, Labels: map[string]string{"x": "1", "y": "z"}, Hidden: "stays",
		Below: []server{
			{base: base{Name: "two\nlines"}, At: Position{"s.yaml", 14, 5}, Tags: []string{"c"}},
			{base: base{Name: "007"}, At: Position{"s.yaml", 18, 6},
				Next: &server{At: Position{"s.yaml", 18, 24}, Port: 1}},
		}}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(server{}, base{}, address{}, Value{})); d != "" {
		t.Error(d)
	}
}

// TestWrongFiles has one mistake in each file, and the one line that names its place.
func TestWrongFiles(t *testing.T) {
	for text, want := range map[string]string{
		"":            "s.yaml:1:1: the file is empty",
		"# only this": "s.yaml:1:1: the file is empty",
		"3": "s.yaml:1:1: the file must be names with values (name: " +
			"value), not a single value",
		"name: a\n---\nname: b": "s.yaml:3:5: a second document begins here; there may be " +
			"one",
		"name: a\nnmae: b":            `s.yaml:2:1: unknown field "nmae"; did you mean "name"?`,
		"Hidden: a":                   `s.yaml:1:1: unknown field "Hidden"; there are: name, size, port,`,
		"next: {next: {port: 65536}}": `s.yaml:1:21: port is "65536"; it must be a whole number of 0 or more`,
		"size: 0":                     `s.yaml:1:7: size is "0"; it must be a whole number of 1 or more`,
		"size: 1e3":                   `s.yaml:1:7: size is "1e3"; it must be a whole number of 1 or more`,
		"weight: heavy":               `s.yaml:1:9: weight is "heavy"; it must be a number`,
		"on: perhaps":                 `s.yaml:1:5: on is "perhaps"; it must be true or false`,
		"every: 5":                    `s.yaml:1:8: every is "5"; it must be a time, such as 90s or 5m`,
		"for: -5s":                    `s.yaml:1:6: for is "-5s"; it must be a time above zero, such as 90s or 5m`,
		"address: nowhere":            `s.yaml:1:10: address: there is no such host`,
		"name: [a]":                   "s.yaml:1:7: name must be one value, not a list",
		"name:":                       "s.yaml:1:7: name must be one value, not nothing",
		"below: {}": "s.yaml:1:8: below must be a list (each item on a line of " +
			"its own, after a dash), not names with values",
		"below:\n  - a": "s.yaml:2:5: an item of below must be names with values " +
			"(name: value), not a single value",
		"labels: [a]": "s.yaml:1:9: labels must be names with values (name: " +
			"value), not a list",
		"labels: {a: {}}": "s.yaml:1:13: a must be one value, not names with " +
			"values",
		"tags: [[a]]": "s.yaml:1:8: an item of tags must be one value, not a " +
			"list",
		"name: &a b": "s.yaml:1:7: an anchor (&) is not supported; write the value " +
			"in full",
		"name: *a": "s.yaml:1:7: an alias (*) is not supported; write the value " +
			"in full",
		"name: !!str a": "s.yaml:1:7: a tag (!) is not supported; write the value " +
			"in full",
		"<<: {name: a}": "s.yaml:1:1: a merge key (<<) is not supported; write the value in " +
			"full",
		"name: \"a":        "s.yaml:1:",
		"below: [a":        "s.yaml:1:",
		"\tname: a":        "s.yaml:1:",
		"name: a\nname: b": "s.yaml:2:1: ",
		"name: " + strings.Repeat("a", MaxSize): "s.yaml:1:1: the file is too long; at " +
			"most 1048576 bytes are read",
	} {
		v, err := Parse("s.yaml", []byte(text))
		if err == nil {
			err = v.Decode(new(server))
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.60q\n got %v\nwant %s", text, err, want)
		}
	}
	if got := (Position{"", 3, 4}).Errorf("no"); got.Error() != "line 3: no" {
		t.Error(got)
	}
}

// deep are files that are nested n levels deep, in all the ways in which YAML can nest.
func deep(n int) map[string]string {
	var stairs strings.Builder
	for i := range n {
		stairs.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return map[string]string{
		"lists":        strings.Repeat("[", n),
		"closed lists": strings.Repeat("[", n) + strings.Repeat("]", n),
		"mappings":     strings.Repeat("{a: ", n), "dashes": strings.Repeat("- ", n),
		"question marks": strings.Repeat("? ", n), "lines": stairs.String(),
		"in a step": "steps: " + strings.Repeat("[", n), "hidden closings": strings.Repeat(`["]", `, n),
		"several lines": strings.Repeat("- [\n", n),
	}
}

// TestWhatIsNestedTooDeeplyTakesNoMemory: it is refused before it is parsed. Its tokens take some;
// the parser would take a hundred times as much.
func TestWhatIsNestedTooDeeplyTakesNoMemory(t *testing.T) {
	for name, text := range deep(300) {
		if _, err := Parse("s.yaml", []byte(text)); err == nil ||
			!strings.Contains(err.Error(), "nested more than 100 levels deep") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range deep(50) {
		_, err := Parse("s.yaml", []byte(text))
		if err != nil && strings.Contains(err.Error(), "nested") {
			t.Errorf("%s: %v", name, err)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Parse("s.yaml", []byte("steps: "+strings.Repeat("[", 100_000)))
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 64<<20 {
		t.Errorf("%d bytes of memory, %v", took, err)
	}
}

// FuzzParse: any bytes are a value, or an error in one line with its place; and a text that is read
// is the text that the library reads.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"../../../docs/examples/*.yaml",
		"../../../docs/examples/faults/*",
		"../../search/explore/counterexample/testdata/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatal(pattern, err)
		}
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	for _, text := range deep(3) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		v, err := Parse("s.yaml", src)
		if err == nil {
			err = v.Decode(&server{})
		}
		if err != nil {
			if strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "s.yaml:") {
				t.Errorf("%q", err)
			}
			return
		}
		var names struct{ Name string }
		var got struct {
			Name string `yaml:"name"`
		}
		if yaml.Unmarshal(src, &names) == nil && v.Decode(&got) == nil && got.Name != names.Name {
			t.Errorf("%q, the library reads %q", got.Name, names.Name)
		}
	})
}

// TestAMarkBeforeTheTextIsNoText: some editors begin a file in UTF-8 with one.
func TestAMarkBeforeTheTextIsNoText(t *testing.T) {
	var into base
	v, err := Parse("f", []byte("\ufeffname: a\n"))
	if err == nil {
		err = v.Decode(&into)
	}
	if err != nil || into.Name != "a" {
		t.Errorf("%+v, %v", into, err)
	}
}
