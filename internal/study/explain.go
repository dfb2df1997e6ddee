package study

import (
	"slices"

	"github.com/lockbench/lockbench/internal/batch"
	"github.com/lockbench/lockbench/internal/matrix"
)

// explanation says why a cell differs from what was expected. It is written by people, once the
// difference has been understood.
type explanation struct {
	rows    []string // empty: all
	columns []string // empty: all
	letters string   // any of these
	missing bool     // expected and not found; else found and not expected
	words   string
}

// explanations are tried in order.
var explanations = []explanation{
	{rows: []string{"redlock per call", "redlock per attempt"}, columns: []string{"failover"},
		letters: "R", missing: true,
		words: "The release that the failover undoes comes back on one of three masters. A key on a minority keeps nobody out, and that is what R asks; the model counted any key."},
	{rows: []string{"redlock per call", "redlock per attempt"}, columns: []string{"reply-loss"},
		letters: "R",
		words:   "The model's cleanup reaches the masters although its reply is lost. go-redis closes a connection after a lost reply and greets on the next one (HELLO): while replies are lost it waits for the answer to that, and the cleanup is never sent. So the votes of an attempt that was given up stay on a majority for the rest of their lease."},
	{rows: []string{"redlock per call", "redlock per attempt"}, columns: []string{
		"busy", "node-pause"}, letters: "R",
		words: "The model's clients wait for a server that is busy. Redlock gives up on each master after its node time-out; what it sent is executed when the masters go on, and what should undo it was never sent, because a new connection greets first and gets no answer. A majority then keeps a key that nobody holds."},
	{rows: []string{"redisson-multi"}, columns: []string{"reply-loss"}, letters: "R", missing: true,
		words: "A lost reply leaves an orphan only if the unlock that follows it needs a new connection, on which the client waits for the answer to its greeting. A multi-lock mostly has a second connection open, since it unlocks its keys side by side: then the undo is executed, as [locks/expected.md](locks/expected.md#why) says of redlock."},
	{rows: []string{"getset-java"}, letters: "R", missing: true,
		words: "The posted lease is 4 ms. A leftover is over before the client that left it has even given up waiting for the reply; R cannot be seen. With a lease of 3 s it is that of getset."},
	{rows: []string{"redisson fixed lease", "redisson-fenced fixed lease"}, columns: []string{"late"},
		letters: "LO",
		words:   "T12 with a fixed lease: the model's clients never thought for longer than the lease between two rounds. The owner is a thread and not an acquisition, so its late unlock ends its own next hold, and the lock is given away while the lease is valid. That the table has no O for the fenced lock is the same oversight: it is the same unlock."},
	{rows: []string{"setpx-getdel"}, columns: []string{"busy", "node-pause"}, letters: "LO",
		words: "The model let the blocked GET and DEL run one after the other. On a real server the GET may be answered before the stall and the DEL sent after it: by then another has the lock, and a third gets it while that lease is valid."},
	{rows: []string{"redisson-fenced fixed lease"}, columns: []string{"restart-delayed"}, letters: "F",
		words: "The counter of the tokens is lost with the lock, however long the restart takes: the delay protects the lock, not the order of the tokens."},
	{rows: []string{"getset-redispy"}, letters: "SLO", columns: []string{"none"},
		words: "Without any fault. A waiter that is slow for less than a lease finds no key (nil, read as 1970); meanwhile the holder releases and another is granted the lock; then the waiter's GETSET overwrites that one's time with its own, which was computed earlier. It has lost, but the winner's lease is now shorter than the winner knows: it ends while the winner is inside and within its lease, and the next waiter takes over. The model did not find this, because its clients computed and wrote the time in one step. The documents call the overwriting harmless."},
	{rows: []string{"getset-redispy"}, letters: "R",
		words: "Without any fault. A waiter finds no key (nil, read as 1970), the holder releases and is granted the lock again, and then the waiter's GETSET overwrites its time with one that was computed a moment earlier. It has lost, but the holder's release compares `existing >= acquired_until`, finds a smaller time and leaves the key: the lock stays taken for a whole lease though nobody is inside. The overwriting that the documents call harmless is not."},
	{rows: []string{"getset-java", "getset"}, letters: "R",
		words: "A GETSET that loses the race overwrites the winner's time with a later one; the release that looks at the time, or a lease that ended meanwhile, leaves that behind. The documents call the overwriting harmless."},
	{rows: []string{"setnx-del-expired nil-retry"}, letters: "SLO",
		words: "A leftover's lease ends, and two clients that see it delete one after the other, as after a crash (crash:takeover is aimed at that; here it happens when two of them are that close)."},
}

// chances are letters that a scenario finds only sometimes, and why no gate can make it certain.
var chances = []explanation{
	{rows: []string{"getset-java"}, letters: "SLOR",
		words: "its lease is 4 ms: whether the second grant comes within that depends on the machine"},
	{rows: []string{"setnx-del-expired", "setnx-del-expired nil-retry"}, letters: "SLOR",
		words: "its races need no fault, so that somebody may be inside, legally or not, at each moment at which the leftover could be seen"},
	{rows: []string{"getset-redispy"}, letters: "R",
		words: "a loser's GETSET must meet the winner's release"},
	{rows: []string{"redisson-multi"}, columns: []string{"reply-loss"}, letters: "R",
		words: "it depends on how many connections the client has open at that moment"},
}

// chance says why a letter is not found each time; "" if it must be.
func chance(row, column, letter string) string {
	return among(chances, matrix.Difference{Row: row, Column: column, Property: letter})
}

// explain returns what is known about a difference; "" if nobody has explained it yet.
func explain(d matrix.Difference) string { return among(explanations, d) }

func among(list []explanation, d matrix.Difference) string {
	has := func(list []string, x string) bool { return len(list) == 0 || slices.Contains(list, x) }
	for _, e := range list {
		if e.missing == d.Expected && has(e.rows, d.Row) && has(e.columns, d.Column) &&
			slices.Contains(batch.InOrder(split(e.letters)), d.Property) {
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
