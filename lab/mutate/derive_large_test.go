package mutate

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/lockbench/lockbench/internal/dev/testenv"
)

const locks = "../../impls"

// derived are the mutants of the locks. It needs the go command.
func derived(t *testing.T) []Mutant {
	t.Helper()
	testenv.SkipRace(t)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	all, err := Derive(locks, os.DirFS(locks))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestTheLocksHaveMutants: every lock, and every operator, has some; keys are names.
func TestTheLocksHaveMutants(t *testing.T) {
	t.Parallel()
	all := derived(t)
	chosen := Choose(all)
	if len(all) < 900 || len(chosen) < 200 {
		t.Errorf("%d mutants, of which %d are chosen", len(all), len(chosen))
	}
	keys, lacking := map[string]bool{}, Operators()
	for _, m := range all {
		if keys[m.Key()] {
			t.Errorf("two mutants have the key %q", m.Key())
		}
		keys[m.Key()] = true
		lacking = slices.DeleteFunc(lacking, func(o string) bool { return o == m.Operator })
	}
	if len(lacking) > 0 {
		t.Errorf("no mutant of: %s", strings.Join(lacking, ", "))
	}
	for _, s := range sources {
		if !slices.ContainsFunc(chosen, func(m Mutant) bool { return m.Lock == s.lock }) {
			t.Errorf("%s has no mutant", s.lock)
		}
	}
}

// TestEveryFileOfALockIsASource: a file of the locks is a source of mutants, or says why not.
func TestEveryFileOfALockIsASource(t *testing.T) {
	t.Parallel()
	not := map[string]string{
		"acquire.go": "the loop around an attempt", "declared.go": "what scripts mean",
		"entry.go": "options", "settings.go": "options", "table.go": "the table",
		"traits.go": "the table", "hint.go": "texts",
		"errors.go": "what errors mean", "lock.go": "the interface", "script.go": "how scripts are sent",
		"control.go":                 "controls",
		"setnx_expire_lua_posted.go": "as posted", "setnx_expire_posted.lua": "as posted",
		"release_posted.lua": "as posted", "redlock.go": "not yet", "redlock_extend.go": "not yet",
		"extend.lua": "not yet",
	}
	files, err := os.ReadDir(locks)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := f.Name()
		if strings.HasSuffix(name, "_test.go") || f.IsDir() || not[name] != "" {
			continue
		}
		if !slices.ContainsFunc(sources, func(s source) bool { return s.file == name }) {
			t.Errorf("%s is no source of mutants, and there is no reason", name)
		}
	}
}

// stub is what the bodies of the tests stand in.
const stub = `package impls

import "time"

type Env interface {
	Now() time.Time
	Elapsed() time.Duration
}

type reply struct{}

func (reply) Int() (int, error) { return 0, nil }
func (reply) Err() error        { return nil }

type client struct {
	Env   Env
	until int
	TTL   time.Duration
	Key   func() string
}

func (client) Do(args ...any) reply { return reply{} }
func (client) close()               {}

func (l *client) f(value string, n int, err error) error {
%s
}
`

// goCases are bodies of f, with an operator and what it makes of them.
var goCases = []struct {
	operator, body string
	want           []string
}{
	{DropArgument, `return l.Do(1, "SET", l.Key(), value).Err()`, []string{
		`l.Do(1, "SET", l.Key(), value) → l.Do(1, "SET", value)`,
		`l.Do(1, "SET", l.Key(), value) → l.Do(1, "SET", l.Key())`}},
	{ScaleNumber, `return l.Do(1, "PX", l.TTL.Milliseconds()).Err()`, []string{
		"l.TTL.Milliseconds() → l.TTL.Milliseconds() * 10",
		"l.TTL.Milliseconds() → l.TTL.Milliseconds() / 10"}},
	{ScaleNumber, "n += 5\nreturn err", []string{"5 → 50"}},
	{Negate, "if n == 1 && err != nil {\nreturn nil\n}\nreturn err", []string{
		"n == 1 → n != 1", "err != nil → err == nil"}},
	{DropComparison, "if n > 1 {\nreturn nil\n}\nreturn err", []string{"n > 1 → false"}},
	{DropComparison, "if n > 1 || err != nil {\nreturn nil\n}\nreturn err", []string{
		"n > 1 || err != nil → err != nil", "n > 1 || err != nil → n > 1"}},
	{DropCommand, `return l.Do(1, "DEL").Err()`, []string{`l.Do(1, "DEL").Err() → error(nil)`}},
	{DropCommand, "m, err := l.Do(1, \"DEL\").Int()\n_ = m\nreturn err", []string{
		`l.Do(1, "DEL").Int() → 1, error(nil)`}},
	{RepeatCommand, `return l.Do(1, "DEL").Err()`, []string{
		`l.Do(1, "DEL") → l.Do(1, "DEL"); l.Do(1, "DEL")`}},
	{MoveCommand, "l.until = 0\n_ = l.Do(1, \"DEL\").Err()\nreturn err", []string{
		`l.until = 0 ¶ _ = l.Do(1, "DEL").Err() → _ = l.Do(1, "DEL").Err() ¶ l.until = 0`}},
	{DropCall, "defer l.close()\nl.close()\nreturn err", []string{
		"defer l.close() → ", "l.close() → "}},
	{DropAssignment, "l.until = n\nl.until++\nm := 1\n_ = m\nreturn err", []string{
		"l.until = n → ", "l.until++ → ", "_ = m → "}},
	{ConstantForOne, `return l.Do(1, "SET", l.Key(), value, n).Err()`, []string{
		`value → "1"`, "n → 1"}},
	{SwallowError, "if n > 1 {\nreturn nil\n}\nreturn err", []string{"err → nil"}},
	{OffByOne, "if n > 1 {\nreturn nil\n}\nreturn err", []string{"n > 1 → n >= 1", "1 → 2"}},
	{OtherClock, "if l.Env.Elapsed() > 0 || l.Env.Now().IsZero() {\nreturn nil\n}\nreturn err",
		[]string{"l.Env.Elapsed() → wallClock(l.Env)", "l.Env.Now() → monotonicClock(l.Env)"}},
}

func TestGoOperators(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	for _, c := range goCases {
		t.Run(c.operator, func(t *testing.T) {
			t.Parallel()
			text := fmt.Sprintf(stub, c.body)
			p, err := load(locks, fstest.MapFS{"a.go": {Data: []byte(text)}})
			if err != nil {
				t.Fatal(err)
			}
			all, err := p.mutants(source{file: "a.go"})
			if err != nil {
				t.Fatal(err)
			}
			same(t, c.operator, of(all, "f"), c.want)
		})
	}
}

// TestAVariableThatIsLeftUnusedGetsAUse: the mutant would not compile otherwise.
func TestAVariableThatIsLeftUnusedGetsAUse(t *testing.T) {
	t.Parallel()
	text := fmt.Sprintf(stub, "if m, err := l.Do(1, \"DEL\").Int(); err == nil && m == 1 {\n"+
		"return err\n}\nk := n\nif k > 3 {\nreturn nil\n}\nreturn err")
	p, err := load(locks, fstest.MapFS{"a.go": {Data: []byte(text)}})
	if err != nil {
		t.Skip(err)
	}
	all, _ := p.mutants(source{file: "a.go"})
	same(t, DropComparison, of(all, "f"), []string{"err == nil && m == 1 → m == 1",
		"err == nil && m == 1 → err == nil", "k > 3 → false"})
}

// of are the mutants of a function.
func of(all []Mutant, function string) []Mutant {
	return slices.DeleteFunc(all, func(m Mutant) bool { return m.Where != function })
}

// same compares the mutants of an operator.
func same(t *testing.T, operator string, all []Mutant, want []string) {
	t.Helper()
	var got []string
	for _, m := range all {
		if m.Operator == operator {
			got = append(got, oneLine(m.Old)+" → "+oneLine(m.New))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", operator, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestANumberTellsAlikeMutantsApart(t *testing.T) {
	t.Parallel()
	all := []Mutant{{Old: "a"}, {Old: "a"}, {Old: "b"}}
	if number(all); all[0].Old != "a" || all[1].Old != "a #2" || all[2].Old != "b" {
		t.Error(all)
	}
}
