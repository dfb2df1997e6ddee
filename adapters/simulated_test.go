package adapters

import (
	"strings"
	"testing"
)

// TestSimulated: the simulator links a Go library, steps a program, and refuses any other adapter
// with a reason.
func TestSimulated(t *testing.T) {
	for _, x := range []struct {
		adapter, variant string
		way              Way
		why              string
	}{
		{"redis-py", "", Stepped, ""},
		{"redisson", "", Stepped, ""},
		{"bsm-redislock", "", Linked, ""},
		{"redisson", "read-write", 0, "shared holds are not simulated, and the variant read-write"},
		{"etcd-mutex", "", 0, "it has Redis, and no etcd"},
		{"rueidislock", "", 0, "CLIENT TRACKING"},
	} {
		a, err := Find(x.adapter)
		if err != nil {
			t.Fatal(err)
		}
		way, err := a.Simulated(x.variant)
		if way != x.way || (err == nil) != (x.why == "") {
			t.Errorf("%s %s: %v, %v", x.adapter, x.variant, way, err)
		}
		if err != nil && (!strings.Contains(err.Error(), x.why) ||
			!strings.Contains(err.Error(), "use run or matrix with --adapter")) {
			t.Errorf("%s %s: %v", x.adapter, x.variant, err)
		}
	}
}
