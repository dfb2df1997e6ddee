package mutate

import (
	"os"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua/parse"
)

// luaCases are scripts, with an operator and what it makes of them.
var luaCases = []struct {
	operator, script string
	want             []string
}{
	{DropArgument, "redis.call('pexpire', KEYS[1], ARGV[2]);", []string{
		"redis.call('pexpire', KEYS[1], ARGV[2]) → redis.call('pexpire', ARGV[2])",
		"redis.call('pexpire', KEYS[1], ARGV[2]) → redis.call('pexpire', KEYS[1])"}},
	{ScaleNumber, "redis.call('pexpire', KEYS[1], ARGV[2]);", []string{
		"ARGV[2] → ARGV[2] * 10", "ARGV[2] → math.floor(ARGV[2] / 10)"}},
	{ConstantForOne, "redis.call('set', KEYS[1], ARGV[2]);", []string{"ARGV[2] → '1'"}},
	{Negate, "if redis.call('get', KEYS[1]) == ARGV[1] then return 1 end", []string{
		"redis.call('get', KEYS[1]) == ARGV[1] → redis.call('get', KEYS[1]) ~= ARGV[1]"}},
	{DropComparison, "if (a == 0 or b) then return 1 end", []string{
		"(a == 0 or b) → true", "(a == 0 or b) → false", "a == 0 or b → b",
		"a == 0 or b → a == 0"}},
	{OffByOne, "if (counter > 0) then return KEYS[1] end", []string{"counter > 0 → counter >= 0",
		"0 → 1"}},
	{DropCommand, "redis.call('del', KEYS[1]); return redis.call('get', KEYS[1])", []string{
		"redis.call('del', KEYS[1]); → ", "redis.call('get', KEYS[1]) → 1"}},
	{RepeatCommand, "redis.call('del', KEYS[1]);", []string{
		"redis.call('del', KEYS[1]); → redis.call('del', KEYS[1]); redis.call('del', KEYS[1]);"}},
	{MoveCommand, "redis.call('a', 'x'); redis.call('b', 'y');", []string{
		"redis.call('a', 'x'); redis.call('b', 'y'); → redis.call('b', 'y'); redis.call('a', 'x');"}},
	{DropCommand, "-- redis.call('del', KEYS[1]) in a comment\nreturn 1", nil},
}

func TestLuaOperators(t *testing.T) {
	t.Parallel()
	for _, c := range luaCases {
		all, err := scriptMutants(c.script)
		if err != nil {
			t.Fatal(err)
		}
		same(t, c.operator, all, c.want)
	}
}

// TestMutantsOfScriptsAreScripts: every mutant of every script of the locks can be read.
func TestMutantsOfScriptsAreScripts(t *testing.T) {
	t.Parallel()
	for _, s := range sources {
		if !strings.HasSuffix(s.file, ".lua") {
			continue
		}
		text, err := os.ReadFile(locks + "/" + s.file)
		if err != nil {
			t.Fatal(err)
		}
		all, err := scriptMutants(string(text))
		if err != nil || len(all) < 5 {
			t.Errorf("%s: %d mutants: %v", s.file, len(all), err)
		}
		for _, m := range all {
			changed := apply(string(text), m.edits)
			if _, err := lua.Parse(strings.NewReader(changed), s.file); err != nil {
				t.Errorf("%s: %v", m.Key(), err)
			}
			if changed == string(text) {
				t.Errorf("%s changes nothing", m.Key())
			}
		}
	}
}

// FuzzLexemes: whatever a script is, its words do not overlap and are what stands there, and no
// operator breaks on them.
func FuzzLexemes(f *testing.F) {
	for _, c := range luaCases {
		f.Add(c.script)
	}
	f.Add("local s = \"a\\\"b\" -- c\nif a ~= 'x' then end")
	f.Fuzz(func(t *testing.T, script string) {
		words, err := lexemes(script)
		if err != nil {
			return
		}
		at := 0
		for _, w := range words {
			if w.from < at || w.to <= w.from || script[w.from:w.to] != w.text {
				t.Fatalf("%+v after %d in %q", w, at, script)
			}
			at = w.to
		}
		if _, err := scriptMutants(script); err != nil {
			t.Fatal(err)
		}
	})
}
