package trace

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockbench/lockbench/internal/history"
)

// shown are lines of MONITOR of a node whose clock is ahead by so many seconds, each read as soon
// as it was stamped.
func shown(ahead float64, lines ...string) (out []history.NodeCommand) {
	for _, l := range lines {
		var ms int64
		at, words, _ := strings.Cut(l, " ")
		fmt.Sscan(at, &ms)
		text := fmt.Sprintf("%.6f [0 127.0.0.1:4711]", 1.8e9+ahead+float64(ms)/1e3)
		for _, w := range strings.Fields(words) {
			text += fmt.Sprintf(" %q", w)
		}
		out = append(out, history.NodeCommand{T: ms * 1e6, Line: text})
	}
	return out
}

func TestKeysFollowTheirStream(t *testing.T) {
	for _, c := range []struct {
		name, want string
		lines      []history.NodeCommand
		moves      []int64
		downs      []int64
	}{
		{name: "taken and deleted", want: "10-30 client 1, deleted",
			lines: shown(0, "10 SET lock:0 value1 NX", "30 DEL lock:0")},
		{name: "what is held is not taken", want: "10-30 client 1, deleted",
			lines: shown(0, "10 SETNX lock:0 value1", "20 SETNX lock:0 value2", "30 DEL lock:0")},
		{name: "overwritten", want: "10-20 client 1, overwritten; 20-900 client 2, still there",
			lines: shown(0, "10 SETNX lock:0 value1", "20 GETSET lock:0 value2")},
		{name: "expired", want: "10-60 client 1, expired; 70-900 client 2, still there",
			lines: shown(0, "10 SET lock:0 value1 NX PX 50", "70 SET lock:0 value2 NX")},
		{name: "prolonged", want: "10-80 client 1, expired",
			lines: shown(0, "10 SET lock:0 value1 NX PX 50", "30 PEXPIRE lock:0 50")},
		{name: "kept", want: "10-900 client 1, still there",
			lines: shown(0, "10 SET lock:0 value1 NX PX 50", "30 PERSIST lock:0")},
		{name: "a clock that was moved", want: "10-40 client 1, expired", moves: []int64{40e6},
			lines: slices.Concat(shown(0, "10 SET lock:0 value1 NX PX 500", "30 GET lock:0"),
				shown(2, "50 GET lock:0"))},
		{name: "a dead node", want: "10-200 client 1, node down", downs: []int64{200e6},
			lines: shown(0, "10 SETNX lock:0 value1")},
		{name: "rewritten only if held",
			want:  "10-20 client 1, overwritten; 20-900 client 2, still there",
			lines: shown(0, "5 SET lock:0 value2 XX", "10 SETNX lock:0 value1", "20 SET lock:0 value2 XX")},
		{name: "compared", want: "10-80 client 1, deleted",
			lines: shown(0, "10 SET lock:0 value1 NX PX 50", "20 DELIFEQ lock:0 value2",
				"30 SET lock:0 value2 IFEQ value2 PX 9", "40 SET lock:0 value1 IFEQ value1 PX 50",
				"80 DELIFEQ lock:0 value1")},
		{name: "compared, and given another life", want: "10-900 client 1, still there",
			lines: shown(0, "10 SET lock:0 value1 NX PX 50", "20 SET lock:0 value1 IFEQ value1 KEEPTTL",
				"30 SET lock:0 value1 IFEQ value1")},
		{name: "an extension brings nothing back", want: "10-20 client 1, deleted",
			lines: shown(0, "10 SETNX lock:0 value1", "20 DELEX lock:0 IFEQ value1",
				"30 SET lock:0 value1 IFEQ value1 PX 50")},
		{name: "another's value", want: "10-900 client -1, still there",
			lines: shown(0, "10 SETNX lock:0 unheard", "20 SETNX other value1")},
	} {
		t.Run(c.name, func(t *testing.T) {
			grants := &Grants{names: NamesOf([]string{"lock:0"})}
			var got []string
			for _, k := range Listen(c.lines, c.moves).Keys(map[string]int{"value1": 1, "value2": 2}, grants,
				c.downs, 900e6) {
				got = append(got, fmt.Sprintf("%d-%d client %d, %s", (k.From+5e5)/1e6, (k.To+5e5)/1e6,
					k.Owner, k.Ended))
			}
			if d := cmp.Diff(c.want, strings.Join(got, "; ")); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

func TestOffsetsOfAClock(t *testing.T) {
	s := Listen(slices.Concat(shown(0, "10 GET k", "30 GET k"), shown(2, "50 GET k")), []int64{40e6})
	got := s.Offsets()
	if len(got) != 2 || got[1].T != 40e6 || got[1].By < 1.999 || got[1].By > 2.001 {
		t.Errorf("offsets %v, want 2 s from 40 ms on", got)
	}
	if got := Listen(shown(2, "50 GET k"), []int64{40e6}).Offsets(); got != nil {
		t.Errorf("offsets %v from a clock that was not heard at first", got)
	}
}
