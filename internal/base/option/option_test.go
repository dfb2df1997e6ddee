package option

import (
	"testing"
	"time"
)

// Duration is a duration of another package.
type Duration time.Duration

func (d Duration) String() string { return time.Duration(d).String() }

func TestAValueOutOfBoundsIsRefused(t *testing.T) {
	for _, c := range []struct {
		option Option
		want   string
	}{
		{Option{Name: "keys", Value: ptr(0), Least: 1, Most: 9}, ""}, // the default
		{Option{Name: "keys", Value: ptr(9), Least: 1, Most: 9}, ""},
		{Option{Name: "keys", Value: ptr(10), Least: 1, Most: 9}, "--keys is 10; 1 to 9 are possible"},
		{Option{Name: "keys", Value: ptr(-1), Least: 1, Most: 9}, "--keys is -1; it must be above zero"},
		{Option{Name: "hold", Value: ptr(time.Minute), Most: int64(time.Second)},
			"--hold is 1m0s; 0s to 1s are possible"},
		{Option{Name: "hold", Value: ptr(Duration(-1)), Most: int64(time.Second)},
			"--hold is -1ns; 0s to 1s are possible"},
		{Option{Name: "ttl", Value: ptr([]Duration{1, -1}), Least: 1, Most: int64(time.Second)},
			"--ttl is -1ns; it must be above zero"},
		{Option{Name: "lock", Value: ptr("getset")}, ""},
		{Option{Name: "retries", Value: ptr((*int)(nil)), Most: 9}, ""},
		{Option{Name: "retries", Value: ptr(ptr(10)), Most: 9}, "--retries is 10; 0 to 9 are possible"},
	} {
		got := ""
		if err := Check([]Option{c.option}); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v: %q; want %q", c.option, got, c.want)
		}
	}
}

func TestAListIsWrittenWithCommas(t *testing.T) {
	for want, o := range map[string]Option{
		"1s,500ms": {Value: ptr([]Duration{1e9, 5e8})}, "100ms": {Value: ptr(Duration(1e8))},
		"3": {Value: ptr(3)}, "0": {Value: ptr(ptr(0))},
	} {
		if got := o.Text(); got != want || !o.IsSet() {
			t.Errorf("%q, %v; want %q", got, o.IsSet(), want)
		}
	}
}

func ptr[T any](v T) *T { return &v }
