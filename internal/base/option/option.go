// Package option describes an option of a run in one place: its name, its bounds and its help.
// Flags, gate files and plans read them from there.
package option

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Longest is the longest duration of an option: no run takes longer.
const Longest = 7 * 24 * time.Hour

// Option is one row of a table of options.
type Option struct {
	Name string // of the flag; gate files and plans write it with underscores
	// Value points to the field: to a text, a number, a duration, a list of numbers or durations, or a
	// pointer to a number for which zero is not the default.
	Value       any
	Least, Most int64 // of a number or a duration, in ns
	Help        string
}

// IsSet reports whether the field differs from zero. Zero means the default.
func (o Option) IsSet() bool { return !reflect.ValueOf(o.Value).Elem().IsZero() }

// Text returns the value as a user writes it. A list has commas between its values.
func (o Option) Text() string {
	text := fmt.Sprint(o.value())
	return strings.ReplaceAll(strings.Trim(text, "[]"), " ", ",")
}

func (o Option) value() reflect.Value {
	v := reflect.ValueOf(o.Value).Elem()
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		return v.Elem()
	}
	return v
}

// Check returns an error if a value, or one of a list, is out of bounds. A zero that is not in a
// list means the default.
func (o Option) Check() error {
	v := o.value()
	if v.CanInt() && !v.IsZero() {
		return o.InBounds(v.Int())
	}
	for i := 0; v.Kind() == reflect.Slice && i < v.Len(); i++ {
		if err := o.InBounds(v.Index(i).Int()); err != nil {
			return err
		}
	}
	return nil
}

// InBounds returns an error if a number is out of bounds.
func (o Option) InBounds(n int64) error {
	switch {
	case o.Least <= n && n <= o.Most:
		return nil
	case n < o.Least && o.Least == 1:
		return fmt.Errorf("--%s is %v; it must be above zero", o.Name, o.text(n))
	case o.isTime():
		return fmt.Errorf("--%s is %v; 0s to %v are possible", o.Name, o.text(n), o.text(o.Most))
	}
	return fmt.Errorf("--%s is %d; %d to %d are possible", o.Name, n, o.Least, o.Most)
}

// text returns n as a user writes it.
func (o Option) text(n int64) any {
	if o.isTime() {
		return time.Duration(n)
	}
	return n
}

// isTime reports whether the field is a duration, of package time or another one, or a list of
// them.
func (o Option) isTime() bool {
	t := reflect.TypeOf(o.Value).Elem()
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t.Name() == "Duration"
}

// Check returns the error of the first option that is out of bounds.
func Check(all []Option) error {
	for _, o := range all {
		if err := o.Check(); err != nil {
			return err
		}
	}
	return nil
}

// Names returns the names of the options.
func Names(all []Option) (names []string) {
	for _, o := range all {
		names = append(names, o.Name)
	}
	return names
}
