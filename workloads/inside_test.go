package workloads

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/history"
)

func TestSuits(t *testing.T) {
	for _, c := range []struct {
		lock, workload string
		keys           int
		says           string
	}{
		{"token-lua", Mutex, 1, ""},
		{"setnx", LongWork, 1, ""},
		{"none", Counter, 3, ""},
		{"redisson-spin", Reentrant, 1, ""},
		{"redisson-multi", Multi, 2, ""},
		{"redisson-fenced", Fenced, 1, ""},
		{"token-lua", Reentrant, 1, "--impl redisson"},
		{"redisson", Multi, 2, "--impl redisson-multi"},
		{"redisson-multi", Multi, 1, "--keys 2"},
		{"redlock", Fenced, 1, "--impl redisson-fenced"},
		{"redlock", Transaction, 1, "--adapter postgres --variant row"},
		{"redlock", "mutx", 1, "unknown workload"},
	} {
		e, err := impls.Find(c.lock)
		if err != nil {
			t.Fatal(err)
		}
		err = Suits(e, c.workload, c.keys)
		if (err == nil) != (c.says == "") || err != nil && (!strings.Contains(err.Error(), c.says) ||
			strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s on %s with %d keys: %v; it should say %q", c.workload, c.lock, c.keys, err, c.says)
		}
	}
}

func TestResource(t *testing.T) {
	var r Resource
	for i, c := range []struct {
		ask     Ask
		value   int64
		refused bool
	}{
		{Ask{F: history.ReadOp}, 0, false},
		{Ask{F: history.WriteOp, Value: 5}, 5, false},
		{Ask{F: history.WriteOp, Value: 6, Key: 1}, 6, false},
		{Ask{F: history.WriteOp, Value: 7, Token: 3}, 7, false},
		{Ask{F: history.WriteOp, Value: 8, Token: 2}, 7, true},
		{Ask{F: history.WriteOp, Value: 9, Token: 3}, 9, false},
		{Ask{F: history.WriteOp, Value: 1}, 9, true}, // no token is older than any
		{Ask{F: history.ReadOp}, 9, false},
	} {
		o := r.Answer(c.ask)
		if o.Do != DoAnswer || o.Value != c.value || (o.Err != "") != c.refused {
			t.Errorf("step %d: %+v answers %+v", i, c.ask, o)
		}
	}
}
