package trace

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// TestKeysByWhatClientsWereTold plays replies: each command is answered 2 ms after it was sent.
func TestKeysByWhatClientsWereTold(t *testing.T) {
	const take, free, longer = "take it", "free it", "longer"
	scripts := map[string]history.Script{
		history.ScriptID(take):   {Does: history.ScriptTakes, Done: "1", Refused: "0"},
		history.ScriptID(free):   {Does: history.ScriptFrees, Done: "1"},
		history.ScriptID(longer): {Does: history.ScriptProlongs, Done: "1"}}
	do := func(ms int64, client int, reply string, args ...string) history.Command {
		return history.Command{Process: client, Node: "n0", Sent: ms * 1e6, Recv: (ms + 2) * 1e6,
			Reply: reply, Args: args}
	}
	set := func(ms int64, client int, reply string) history.Command {
		return do(ms, client, reply, "SET", "lock:0", fmt.Sprintf("value%d", client), "NX", "PX", "50")
	}
	eval := func(ms int64, client int, reply, text string) history.Command {
		return do(ms, client, reply, "EVAL", text, "1", "lock:0", fmt.Sprintf("value%d", client))
	}
	lost, elsewhere := set(10, 1, "OK"), set(10, 1, "OK")
	lost.Recv, elsewhere.Node = 0, "n1"
	for _, c := range []struct {
		name, want string
		commands   []history.Command
		moves      []Offset
		downs      []int64
	}{
		{name: "taken, and given back", want: "12-30 client 1, deleted", commands: []history.Command{
			set(10, 1, "OK"), set(20, 2, "(nil)"), do(30, 1, "1", "DEL", "lock:0")}},
		{name: "the next client's, at once",
			want: "12-30 client 1, deleted; 33-83 client 2, expired",
			commands: []history.Command{set(10, 1, "OK"), do(30, 1, "1", "DEL", "lock:0"),
				set(31, 2, "OK")}},
		{name: "told later than it ended", want: "12-60 client 1, overwritten; 60-110 client 2, expired",
			commands: []history.Command{set(10, 1, "OK"), set(58, 2, "OK")}},
		{name: "a clock that was moved", want: "12-20 client 1, expired",
			moves: []Offset{{T: 20e6, By: 1}}, commands: []history.Command{set(10, 1, "OK")}},
		{name: "a dead node", want: "12-20 client 1, node down", downs: []int64{20e6},
			commands: []history.Command{set(10, 1, "OK")}},
		{name: "no reply, or another node's", commands: []history.Command{lost, elsewhere}},
		{name: "scripts", want: "12-60 client 1, deleted", commands: []history.Command{
			eval(10, 1, "1", take), eval(15, 2, "0", take), eval(20, 1, "1", longer),
			eval(40, 1, "1", take), eval(50, 2, "0", free), eval(60, 1, "1", free)}},
		{name: "a script that was prolonged", want: "12-52 client 1, expired",
			commands: []history.Command{eval(10, 1, "1", take), eval(20, 1, "1", longer)}},
		{name: "a script that is not declared", commands: []history.Command{
			eval(10, 1, "1", "anything")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := history.Header{Names: []string{"lock:0"}, TTL: 30e6, Scripts: scripts}
			tr := New(h, record.Build(&history.History{Header: h}), c.commands)
			grants := tr.Grants()
			var got []string
			for _, k := range tr.KnownSpans("n0", Writers(c.commands), &grants, c.moves, c.downs, 900e6) {
				got = append(got, fmt.Sprintf("%d-%d client %d, %s", k.From/1e6, (k.To+5e5)/1e6, k.Owner,
					k.Ended))
			}
			if d := cmp.Diff(c.want, strings.Join(slices.Compact(got), "; ")); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}
