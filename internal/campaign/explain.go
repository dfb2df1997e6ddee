package campaign

import "slices"

// explanation says why a cell differs from what was expected. It is written by people, once the difference has been understood.
type explanation struct {
	rows    []string // empty: all
	columns []string // empty: all
	letters string   // any of these
	missing bool     // expected and not found; else found and not expected
	words   string
}

// explanations are tried in order.
var explanations = []explanation{
	{rows: []string{"redlock per call", "redlock per attempt"}, letters: "R", missing: true,
		words: "The checker does not judge R on independent masters: one of them may keep a key that has no majority, which keeps nobody out. What the table means, a leftover on a majority, happens for at most one lease, as with token-lua."},
	{rows: []string{"setnx-expire-lua", "setnx-expire-lua-as-posted", "redisson-multi", "redisson-fenced fixed lease"}, letters: "R", missing: true,
		words: "It happens, but the evidence for R is a refusal in the trace, and the reply of this lock's script is none that the checker knows (0; a list; one of several keys). So nothing follows from a cell of these locks that lacks R."},
	{rows: []string{"getset-java"}, letters: "R", missing: true,
		words: "The posted lease is 4 ms. A leftover is over before the client that left it has even given up waiting for the reply; R cannot be seen. With a lease of 3 s it is that of getset."},
	{columns: []string{"late"}, letters: "O", missing: true,
		words: "The release that arrives late was sent before the other's grant, so its own stamps leave open which key it deleted; O is judged only when that is certain. The harm is in L, classed as a late message. For redisson the late unlock ends a later hold of the same client, who is no stranger."},
	{rows: []string{"redisson fixed lease", "redisson-fenced fixed lease"}, columns: []string{"late"}, letters: "L",
		words: "T12 with a fixed lease: the model's clients never thought for longer than the lease between two rounds. The owner is a thread and not an acquisition, so its late unlock ends its own next hold, and the lock is given away while the lease is valid."},
	{rows: []string{"setpx-getdel"}, columns: []string{"busy", "node-pause"}, letters: "LO",
		words: "The model let the blocked GET and DEL run one after the other. On a real server the GET may be answered before the stall and the DEL sent after it: by then another has the lock, and a third gets it while that lease is valid."},
	{rows: []string{"redisson-fenced fixed lease"}, columns: []string{"restart-delayed"}, letters: "F",
		words: "The counter of the tokens is lost with the lock, however long the restart takes: the delay protects the lock, not the order of the tokens."},
	{columns: []string{"busy", "node-pause"}, letters: "O", missing: true,
		words: "A release and a grant that both waited in front of Redis are in an order that only Redis knows. S and L show what came of it; O is judged only when the order is certain."},
	{rows: []string{"getset-redispy"}, letters: "SLO", columns: []string{"none"},
		words: "Without any fault. A waiter that is slow for less than a lease finds no key (nil, read as 1970); meanwhile the holder releases and another is granted the lock; then the waiter's GETSET overwrites that one's time with its own, which was computed earlier. It has lost, but the winner's lease is now shorter than the winner knows: it ends while the winner is inside and within its lease, and the next waiter takes over. The model did not find this, because its clients computed and wrote the time in one step. The documents call the overwriting harmless."},
	{rows: []string{"getset-redispy"}, letters: "R",
		words: "Without any fault. A waiter finds no key (nil, read as 1970), the holder releases and is granted the lock again, and then the waiter's GETSET overwrites its time with one that was computed a moment earlier. It has lost, but the holder's release compares `existing >= acquired_until`, finds a smaller time and leaves the key: the lock stays taken for a whole lease though nobody is inside. The overwriting that the documents call harmless is not."},
	{rows: []string{"getset-java", "getset"}, letters: "R",
		words: "A GETSET that loses the race overwrites the winner's time with a later one; the release that looks at the time, or a lease that ended meanwhile, leaves that behind. The documents call the overwriting harmless."},
	{rows: []string{"setnx-del-expired nil-retry", "setnx-del-expired"}, letters: "SLO", columns: []string{"restart-delayed"},
		words: "The races of this lock need no fault."},
}

// explain returns what is known about a difference; "" if nobody has explained it yet.
func explain(d Difference) string {
	has := func(list []string, x string) bool { return len(list) == 0 || slices.Contains(list, x) }
	for _, e := range explanations {
		if e.missing == d.Expected && has(e.rows, d.Row) && has(e.columns, d.Column) && slices.Contains(inOrder(split(e.letters)), d.Letter) {
			return e.words
		}
	}
	return ""
}

func split(letters string) (out []string) {
	for _, l := range letters {
		out = append(out, string(l))
	}
	return out
}
