package harness

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/base/strictyaml"
	"github.com/lockbench/lockbench/internal/history"
)

// TestHugeNumbersAreRefused wants what would fill the memory or never end to be one line, from the
// command line, from a gate file and from a plan.
func TestHugeNumbersAreRefused(t *testing.T) {
	const ages = math.MaxInt64 * time.Nanosecond
	for says, w := range map[string]RunOptions{
		"--keys is 1000000000; 1 to 100000":                {Keys: 1e9},
		"--hold is 2562047h47m16.854775807s; 0s to 168h0m": {Hold: ages},
		"--think is":             {Think: ages},
		"--ttl is 2562047h47m":   {TTL: ages},
		"--ttl is -1s; it must":  {TTL: -time.Second},
		"--masters is -1; it":    {Masters: -1},
		"--client-retries is -1": {ClientRetries: new(-1)},
		"--wait-timeout is -1ns": {Settings: impls.Settings{WaitTimeout: -1}},
		"--for is":               {For: ages},
	} {
		w.Impl, w.Nemesis = "token-lua", "none"
		if _, err := NewPlan(w); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q expected: %v", says, err)
		}
	}
	p, err := NewPlan(RunOptions{Impl: "token-lua", Nemesis: "none"})
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Plan){
		"keys": func(p *Plan) { p.Keys = 1e9 }, "backoff": func(p *Plan) { p.Backoff = -1 },
		"hold": func(p *Plan) { p.Hold = history.Duration(ages) },
		"poll": func(p *Plan) { p.Poll = -1 }, "rounds": func(p *Plan) { p.Rounds = math.MaxInt64 },
	} {
		changed := p
		if change(&changed); changed.Validate() == nil {
			t.Errorf("a plan with %s: it is taken", name)
		}
	}
}

// TestEachNumberOfARunHasARow wants a new number or time of a run in the table of options.
func TestEachNumberOfARunHasARow(t *testing.T) {
	rows := map[string]bool{"ttl": true}
	for _, o := range new(RunOptions).Table() {
		rows[o.Name] = true
	}
	for _, name := range strictyaml.Names[RunOptions]() {
		f := fieldNamed(name)
		if name = strings.ReplaceAll(name, "_", "-"); f.Type.Kind() >= reflect.Int &&
			f.Type.Kind() <= reflect.Int64 && !rows[name] {
			t.Errorf("--%s has no row in RunOptions.Table or impls.Settings.Table", name)
		}
	}
}

func fieldNamed(name string) (out reflect.StructField) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[RunOptions]()) {
		tag := f.Tag.Get("yaml") + f.Tag.Get("json")
		if word, _, _ := strings.Cut(tag, ","); word == name {
			out = f
		}
	}
	return out
}
