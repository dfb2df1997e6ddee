package edn

import (
	"bytes"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// agree fails if a form is read without the library, and not as the library does.
func agree(t interface{ Fatalf(string, ...any) }, u *usual, form []byte) bool {
	fast, ok := u.fields(form)
	if !ok {
		return false
	}
	if slow, err := decode(form); err != nil {
		t.Fatalf("%s was read, and is wrong: %v", form, err)
	} else if !reflect.DeepEqual(fast, slow) {
		t.Fatalf("%s was read as\n%#v, it is\n%#v", form, fast, slow)
	}
	return true
}

var usualForms = []string{
	`{:type :invoke, :f :acquire, :process 0, :time 101200345, :index 0}`,
	`{:index 7, :time 2000000, :type :fail, :process 0, :f :release, :value nil, :error :not-held}`,
	`{:process :nemesis, :type :info, :f :start, :value "n1", :time 12}`,
	"{:process 12,\n :type :ok, :f :read, :value [3 -17], :error \"a b\", :mode :shared}",
	`{:type :ok :f :write :value :v1 :process 1 }`,
}

// TestUsualFormsAreRead: otherwise they are read as slowly as before.
func TestUsualFormsAreRead(t *testing.T) {
	for _, form := range usualForms {
		if !agree(t, newUsual(), []byte(form)) {
			t.Errorf("%s is left to the library", form)
		}
	}
}

// TestUnusualFormsAreLeftToTheLibrary has what only the library knows the answer to.
func TestUnusualFormsAreLeftToTheLibrary(t *testing.T) {
	for _, form := range []string{
		``, `{`, `{:type}`, `{:type :ok`, `{:type :ok}}`, `{:type :ok} `, `{:type :ok :type :ok}`,
		`{:node 1}`, `{type :ok}`, `{:type :a/b}`, `{:type :ok?}`, `{:type :}`, `{:type ::ok}`,
		`{:time 01}`, `{:time -0}`, `{:time 1.0}`, `{:time 1N}`, `{:time +1}`, `{:time -}`, `{:time 1e3}`,
		`{:time 9223372036854775808}`, `{:time 1;}`, `{:value {:client "a"}}`, `{:value [1 2 3]}`,
		`{:value [1 [2 3]]}`, `{:value [1]}`, `{:value []}`, `{:value nill}`, `{:value true}`,
		`{:value "a\n"}`, `{:value "ö"}`, `{:value "a}`, `{:value \a}`, `{:error [1 2]}`, `{:value #_1 2}`,
		`{:value "a":time 1}`,
	} {
		if _, ok := newUsual().fields([]byte(form)); ok {
			t.Errorf("%s was read", form)
		}
	}
}

// TestFormsOfAnyPartsAreReadAlike puts forms together of parts that are usual, or nearly.
func TestFormsOfAnyPartsAreReadAlike(t *testing.T) {
	part := rapid.SampledFrom([]string{":type", ":f", ":process", ":value", ":index", ":time",
		":error",
		":mode", ":ok", ":not-held", "nil", "0", "-12", "007", "12345678901234567", "1234567890123456789",
		`"a b"`, `""`, "[", "]", "{", "}", " ", " ", ",", "\n", ";", "[1 2]", "[nil :a]", "#_", "x"})
	read := 0
	rapid.Check(t, func(t *rapid.T) {
		form := []byte("{")
		u := newUsual()
		for range rapid.IntRange(0, 8).Draw(t, "pairs") {
			form = append(append(append(append(form, part.Draw(t, "key")...), ' '),
				part.Draw(t, "value")...), ", "...)
		}
		if agree(t, u, append(form, '}')) {
			read++
		}
	})
	if read == 0 {
		t.Error("none was read")
	}
}

func FuzzUsual(f *testing.F) {
	for _, form := range usualForms {
		f.Add([]byte(form))
		f.Add(bytes.ReplaceAll([]byte(form), []byte(" "), []byte("")))
	}
	f.Fuzz(func(t *testing.T, form []byte) { agree(t, newUsual(), form) })
}
