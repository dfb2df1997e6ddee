package nemesis

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/lockbench/lockbench/internal/base/strictyaml"
	"github.com/lockbench/lockbench/internal/format1"
)

// TestFaultsOfFormat1 reads the examples as the first version had them: they mean what today's do.
func TestFaultsOfFormat1(t *testing.T) {
	for _, f := range examples(t) {
		old := filepath.Join("../internal", "format1", "testdata", "old", "faults", filepath.Base(f))
		if _, err := os.Stat(old); err != nil {
			continue // it is younger
		}
		var scenarios []Scenario
		for _, file := range []string{f, old} {
			fs, err := Parse(file)
			if err != nil {
				t.Fatal(err)
			}
			s, err := fs.Scenario(params)
			if err != nil {
				t.Fatal(err)
			}
			scenarios = append(scenarios, s)
		}
		if !reflect.DeepEqual(scenarios[0], scenarios[1]) {
			t.Errorf("%s means %v, and in format 1 %v", f, scenarios[0], scenarios[1])
		}
	}
}

func TestStepsOfFormat1(t *testing.T) {
	for old, want := range map[string]Step{
		`{"do":"hold","target":"struck>n0","strike":true}`: {Do: HoldBack, Target: "hit>n0", Aimed: true},
		`{"do":"cut","target":"struck+>*"}`:                {Do: Cut, Target: "hit+>*"},
		`{"do":"direct","target":"*","node":"n1"}`:         {Do: Redirect, Target: "*", Node: "n1"},
		`{"await":{"client":"!struck","phase":"granted"}}`: {
			Await: &Await{Client: "!hit", Phase: Granted}},
		`{"do":"go","target":"hold"}`:         {Do: Go, Target: "hold"}, // a name that an await gave
		`{"do":"heal","target":"owner>*"}`:    {Do: Heal, Target: "owner>*"},
		`{"do":"wait","for":"1s"}`:            {Do: Wait, For: 1e9},
		`{"do":"crash","target":"c1","by":2}`: {},
	} {
		var got Step
		v, err := strictyaml.Parse("", []byte(old))
		if err == nil {
			err = v.Decode(&got, format1.Names{"strike": "aimed"})
		}
		got.Upgrade()
		if reflect.DeepEqual(want, Step{}) != (err != nil) || err == nil &&
			!reflect.DeepEqual(got, want) {
			t.Errorf("%s is %v, %v", old, got, err)
		}
	}
}
