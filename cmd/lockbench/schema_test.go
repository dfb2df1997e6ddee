package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/campaign/compare"
	"github.com/lockbench/lockbench/internal/campaign/gate"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/choose"
	"github.com/lockbench/lockbench/internal/foreign/adapter"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/doctor"
	"github.com/lockbench/lockbench/internal/run/watch"
	"github.com/lockbench/lockbench/internal/search/explore"
	"github.com/lockbench/lockbench/workloads"
	"github.com/spf13/cobra"
)

var updateSchemas = flag.Bool("update", false, "write docs/schemas")

// printedAs are the types of the documents that each command prints with --json.
var printedAs = map[string][]reflect.Type{
	"adapters check": {reflect.TypeFor[[]adapter.Finding]()},
	"check":          {reflect.TypeFor[checker.Verdict](), reflect.TypeFor[checkedRuns]()},
	"choose":         {reflect.TypeFor[[]choose.Choice]()},
	"compare":        {reflect.TypeFor[compare.Comparison]()},
	"doctor":         {reflect.TypeFor[doctor.Diagnosis]()},
	"explore":        {reflect.TypeFor[explore.Findings]()},
	"gate":           {reflect.TypeFor[gate.Result]()},
	"list adapters":  {reflect.TypeFor[[]adapterRow]()},
	"list impls":     {reflect.TypeFor[[]implRow]()},
	"list nemeses":   {reflect.TypeFor[[]nemesisRow]()},
	"list workloads": {reflect.TypeFor[[]workloads.Workload]()},
	"matrix":         {reflect.TypeFor[matrix.Matrix]()},
	"merge": {reflect.TypeFor[matrix.Matrix](), reflect.TypeFor[gate.Result](),
		reflect.TypeFor[explore.Findings]()},
	"replay":  {reflect.TypeFor[replayed]()},
	"run":     {reflect.TypeFor[judgedRun](), reflect.TypeFor[aimRuns]()},
	"version": {reflect.TypeFor[versions]()},
	"watch":   {reflect.TypeFor[watch.Event](), reflect.TypeFor[watch.Summary]()},
}

var results = []any{"valid", "violated", "unknown", "n.a."}

// texts are the types that JSON has as a text, and the one that may be anything.
var texts = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[history.Duration]():  {Type: "string"},
	reflect.TypeFor[history.Durations](): {Type: "string"},
	reflect.TypeFor[adapters.Duration](): {Type: "string"},
	reflect.TypeFor[checker.Result]():    {Type: "string", Enum: results},
	reflect.TypeFor[gate.Expectation]():  {Type: "string"},
	reflect.TypeFor[batch.Shard]():       {Type: "string"},
	reflect.TypeFor[advice.Command]():    {Type: "string"},
	reflect.TypeFor[adapters.Option]():   {},
}

// schemaOf makes the schema of a command's document.
func schemaOf(command string) (*jsonschema.Schema, error) {
	var all []*jsonschema.Schema
	for _, t := range printedAs[command] {
		s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: texts})
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	s := &jsonschema.Schema{AnyOf: all}
	if len(all) == 1 {
		s = all[0]
	}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = "lockbench " + command + " --json"
	return s, nil
}

// TestSchemasAreThoseOfTheTypes compares docs/schemas with the types, and wants a schema for each
// command that has --json.
func TestSchemasAreThoseOfTheTypes(t *testing.T) {
	var commands []string
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Flags().Lookup("json") != nil {
			commands = append(commands, strings.TrimPrefix(c.CommandPath(), "lockbench "))
		}
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(rootCommand())
	slices.Sort(commands)
	if d := cmp.Diff(sortedKeys(printedAs), commands); d != "" {
		t.Fatalf("schemas (-) of the commands with --json (+):\n%s", d)
	}
	for _, command := range commands {
		s, err := schemaOf(command)
		if err != nil {
			t.Errorf("%s: %v", command, err)
			continue
		}
		var b bytes.Buffer
		if err := history.WriteDocument(&b, s); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("../../docs/schemas", strings.ReplaceAll(command, " ", "-")+".json")
		if *updateSchemas {
			if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		kept, _ := os.ReadFile(file)
		if d := cmp.Diff(string(kept), b.String()); d != "" {
			t.Errorf("%s is another; -update writes it:\n%s", file, d)
		}
	}
}

func sortedKeys[V any](m map[string]V) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// mainWithSchema is main for a script whose command prints JSON. It fails if the document is not as
// its schema says.
func mainWithSchema() int {
	_ = proc.HideEnviron()
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	var printed bytes.Buffer
	code := Main(ctx, os.Args[1:], io.MultiWriter(os.Stdout, &printed), os.Stderr)
	if err := conforms(os.Args[1:], printed.Bytes()); err != nil {
		fmt.Fprintln(os.Stderr, "its JSON is not as docs/schemas says:", err)
		return 99
	}
	return code
}

// conforms compares a document with the schema of its command. A command that failed prints none.
func conforms(args []string, document []byte) error {
	c, _, err := rootCommand().Find(args)
	if err != nil || len(document) == 0 {
		return nil
	}
	s, err := schemaOf(strings.TrimPrefix(c.CommandPath(), "lockbench "))
	if err != nil {
		return err
	}
	r, err := s.Resolve(nil)
	if err != nil {
		return err
	}
	for d := json.NewDecoder(bytes.NewReader(document)); ; { // watch prints one in each line
		var v any
		if err := d.Decode(&v); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := r.Validate(v); err != nil {
			return err
		}
	}
}

// TestADocumentThatIsNotAsItsSchemaIsFound has a field too many, one too few, and another type.
func TestADocumentThatIsNotAsItsSchemaIsFound(t *testing.T) {
	for document, ok := range map[string]bool{
		`[{"name": "mutex", "line": "x"}]`:            true,
		`[{"name": "mutex", "line": "x", "more": 1}]`: false,
		`[{"name": "mutex"}]`:                         false,
		`[{"name": 1, "line": "x"}]`:                  false,
	} {
		if err := conforms([]string{"list", "workloads"}, []byte(document)); (err == nil) != ok {
			t.Errorf("%s: %v", document, err)
		}
	}
}

// TestAScriptPrintsEachDocument wants a script for each command with --json.
func TestAScriptPrintsEachDocument(t *testing.T) {
	var all strings.Builder
	files, _ := filepath.Glob("testdata/*/*.txtar")
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	for command := range printedAs {
		found := slices.ContainsFunc(strings.Split(all.String(), "\n"), func(line string) bool {
			return strings.Contains(line, " "+command+" ") && strings.Contains(line, "--json")
		})
		if !found {
			t.Errorf("no script has %s --json", command)
		}
	}
}
