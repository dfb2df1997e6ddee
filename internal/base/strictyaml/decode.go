package strictyaml

import (
	"encoding"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/units"
)

// Decode fills a struct. The name of a field in the file is its tag yaml or, without that, its tag
// json. A field without a tag is not in files. After the name, the tag yaml may have "positive",
// for numbers and times above zero, and "commas", for a list of texts that may be written as one
// text with commas. A list of texts may be a single text. A field of type Position receives the
// start of the struct.
//
// A field that the file does not name keeps its value. Decode fills strings, whole numbers,
// fractions, booleans, times, lists, maps, structs, pointers, Value, and types with
// encoding.TextUnmarshaler. A struct with that interface may be a text in the file, or a mapping.
func (v Value) Decode(into any) error { return v.fill(reflect.ValueOf(into).Elem(), nil) }

var (
	ofPosition = reflect.TypeFor[Position]()
	ofValue    = reflect.TypeFor[Value]()
)

// isTime reports whether a type is a duration, of package time or another one.
func isTime(t reflect.Type) bool { return t.Kind() == reflect.Int64 && t.Name() == "Duration" }

// fill reads the value into a variable. The flags come from a field's tag.
func (v Value) fill(to reflect.Value, flags []string) error {
	if to.Type() == ofValue {
		to.Set(reflect.ValueOf(v))
		return nil
	}
	_, err := v.Text()
	if u, ok := reflect.TypeAssert[encoding.TextUnmarshaler](to.Addr()); ok && !isTime(to.Type()) &&
		(err == nil || to.Kind() != reflect.Struct) {
		place(to, v.position())
		return v.scalar("", func(s string) error { return u.UnmarshalText([]byte(s)) })
	}
	switch kind := to.Kind(); kind {
	case reflect.Struct:
		return v.fillStruct(to)
	case reflect.Slice, reflect.Map, reflect.Pointer:
		to.SetZero() // a list replaces the default
		if v.null() {
			return nil
		}
		switch kind {
		case reflect.Slice:
			return v.fillList(to, slices.Contains(flags, "commas"))
		case reflect.Map:
			return v.fillMap(to)
		}
		to.Set(reflect.New(to.Type().Elem()))
		return v.fill(to.Elem(), flags)
	}
	return v.single(to, slices.Contains(flags, "positive"))
}

func (v Value) fillStruct(to reflect.Value) error {
	fields, err := v.Fields()
	if err != nil {
		return err
	}
	known, order := members(to.Type())
	for _, f := range fields {
		member, ok := known[f.Name]
		if !ok {
			return f.unknown(order)
		}
		if err := f.Value.fill(to.FieldByIndex(member.index), member.flags); err != nil {
			return err
		}
	}
	if len(fields) > 0 {
		place(to, fields[0].At)
	}
	return nil
}

// place fills the Position fields of a struct.
func place(to reflect.Value, at Position) {
	if to.Kind() != reflect.Struct {
		return
	}
	for _, field := range to.Fields() {
		if field.Type() == ofPosition {
			field.Set(reflect.ValueOf(at))
		}
	}
}

func (f Field) unknown(known []string) error {
	if near := units.Nearest(f.Name, known); near != "" {
		return f.At.Errorf("unknown field %q; did you mean %q?", f.Name, near)
	}
	return f.At.Errorf("unknown field %q; there are: %s", f.Name, strings.Join(known, ", "))
}

type member struct {
	index []int
	flags []string
}

// Names returns the names of a struct's fields in files.
func Names[T any]() []string {
	_, names := members(reflect.TypeFor[T]())
	return names
}

// members returns the fields of a struct by name, including fields of embedded structs.
func members(t reflect.Type) (known map[string]member, order []string) {
	known = map[string]member{}
	for _, f := range reflect.VisibleFields(t) {
		tag, ok := f.Tag.Lookup("yaml")
		if !ok {
			tag = f.Tag.Get("json")
		}
		words := strings.Split(tag, ",")
		if words[0] != "" && words[0] != "-" {
			known[words[0]] = member{f.Index, words[1:]}
			order = append(order, words[0])
		}
	}
	return known, order
}

func (v Value) fillList(to reflect.Value, commas bool) error {
	if texts, ok := reflect.TypeAssert[*[]string](to.Addr()); ok {
		all, err := v.Texts()
		if commas {
			all = strings.Split(strings.ReplaceAll(strings.Join(all, ","), " ", ""), ",")
		}
		*texts = all
		return err
	}
	items, err := v.Items()
	if err != nil {
		return err
	}
	to.Set(reflect.MakeSlice(to.Type(), len(items), len(items)))
	for i, item := range items {
		if err := item.fill(to.Index(i), nil); err != nil {
			return err
		}
	}
	return nil
}

func (v Value) fillMap(to reflect.Value) error {
	fields, err := v.Fields()
	to.Set(reflect.MakeMap(to.Type()))
	for _, f := range fields {
		value := reflect.New(to.Type().Elem()).Elem()
		if err := f.Value.fill(value, nil); err != nil {
			return err
		}
		to.SetMapIndex(reflect.ValueOf(f.Name).Convert(to.Type().Key()), value)
	}
	return err
}

// single reads a text, a number, a boolean or a time.
func (v Value) single(to reflect.Value, positive bool) error {
	above, least := "", ""
	if positive {
		above, least = " above zero", " of 1 or more"
	}
	number := func(read func(s string) (zeroOrBelow bool, err error)) func(string) error {
		return func(s string) error {
			low, err := read(s)
			if err == nil && low && positive {
				err = strconv.ErrRange
			}
			return err
		}
	}
	switch kind := to.Kind(); {
	case isTime(to.Type()):
		wanted := "it must be a time" + above + ", such as 90s or 5m"
		return v.scalar(wanted, number(func(s string) (bool, error) {
			t, err := time.ParseDuration(strings.Join(strings.Fields(s), ""))
			to.SetInt(int64(t))
			return t <= 0, err
		}))
	case kind == reflect.String:
		return v.scalar("", func(s string) error { to.SetString(s); return nil })
	case kind == reflect.Bool:
		return v.scalar("it must be true or false", func(s string) error {
			b, err := strconv.ParseBool(s)
			to.SetBool(b)
			return err
		})
	case to.CanInt():
		return v.scalar("it must be a whole number"+least, number(func(s string) (bool, error) {
			n, err := strconv.ParseInt(s, 10, to.Type().Bits())
			to.SetInt(n)
			return n <= 0, err
		}))
	case to.CanUint():
		if !positive {
			least = " of 0 or more"
		}
		return v.scalar("it must be a whole number"+least, number(func(s string) (bool, error) {
			n, err := strconv.ParseUint(s, 10, to.Type().Bits())
			to.SetUint(n)
			return n == 0, err
		}))
	case to.CanFloat():
		return v.scalar("it must be a number", func(s string) error {
			n, err := strconv.ParseFloat(s, to.Type().Bits())
			to.SetFloat(n)
			return err
		})
	}
	panic("strictyaml: no file can hold a " + to.Type().String())
}

// scalar reads a single value. If read fails, the error names the wanted form, or is read's own if
// wanted is "".
func (v Value) scalar(wanted string, read func(s string) error) error {
	s, err := v.Text()
	if err != nil {
		return err
	}
	switch err := read(s); {
	case err == nil:
		return nil
	case wanted == "":
		return v.Errorf("%s: %w", v.name, err)
	}
	return v.Errorf("%s is %q; %s", v.name, s, wanted)
}
