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
		words: "The release that the failover undoes comes back on one of three masters. A key on a " +
			"minority of them keeps no client out, and that is what R asks; the model counted any " +
			"key."},
	{rows: []string{"redlock per call", "redlock per attempt"}, columns: []string{"reply-loss"},
		letters: "R",
		words: "In the model the clean-up reaches the masters although its reply is lost. go-redis " +
			"closes a connection after a lost reply and sends a greeting (HELLO) on the next one. " +
			"While replies are lost it waits for the answer to that greeting, and the clean-up is " +
			"never sent. The votes of an attempt that was given up therefore stay on a majority " +
			"for the rest of their lease."},
	{rows: []string{"redlock per call", "redlock per attempt"}, columns: []string{
		"busy", "node-pause"}, letters: "R",
		words: "In the model clients wait for a server that is busy. Redlock gives up on each master " +
			"after its node time-out. What it sent is executed when the masters go on, and the " +
			"command that should undo it was never sent, because a new connection greets first " +
			"and gets no answer. A majority then keeps a key although no client holds the lock."},
	{rows: []string{"redisson-multi"}, columns: []string{"reply-loss"}, letters: "R", missing: true,
		words: "A lost reply leaves an orphan only if the unlock that follows it needs a new " +
			"connection, on which the client waits for the answer to its greeting. A multi-lock " +
			"mostly has a second connection open, since it unlocks its keys side by side. Then " +
			"the undo is executed, as the expected table says of redlock."},
	{rows: []string{"getset-java"}, letters: "R", missing: true,
		words: "The posted lease is 4 ms. A leftover is over before the client that left it has even " +
			"given up waiting for the reply, so that R cannot be seen. With a lease of 3 s it is " +
			"that of getset."},
	{rows: []string{"redisson fixed lease", "redisson-fenced fixed lease"}, columns: []string{"late"},
		letters: "LO",
		words: "This is T12 with a fixed lease: in the model no client thought for longer than the " +
			"lease between two rounds. The owner is a thread and not an acquisition. A late " +
			"unlock therefore ends the thread's own next hold, and the lock is given away while " +
			"the lease is valid. That the expected table has no O for the fenced lock is the same " +
			"oversight, since it is the same unlock."},
	{rows: []string{"setpx-getdel"}, columns: []string{"busy", "node-pause"}, letters: "LO",
		words: "The model let the blocked GET and DEL run one after the other. On a real server the " +
			"GET may be answered before the stall and the DEL sent after it. By then another " +
			"client has the lock, and a third one gets it while that lease is valid."},
	{rows: []string{"redisson-fenced fixed lease"}, columns: []string{"restart-delayed"}, letters: "F",
		words: "The counter of the tokens is lost with the lock, however long the restart takes: the " +
			"delay protects the lock, not the order of the tokens."},
	{rows: []string{"getset-redispy"}, letters: "SLO", columns: []string{"none"},
		words: "This needs no fault. A waiting client that is slow for less than a lease finds no " +
			"key (nil, read as 1970). Meanwhile the holder releases, and another client is " +
			"granted the lock. Then the slow client's GETSET overwrites that client's time with " +
			"its own, which was computed earlier. The slow client has lost, but the winner's " +
			"lease is now shorter than the winner knows: it ends while the winner is inside and " +
			"within its lease, and the next client takes over. The model did not find this, " +
			"because its clients computed and wrote the time in one step. The documents call the " +
			"overwriting harmless."},
	{rows: []string{"getset-redispy"}, letters: "R",
		words: "This needs no fault. A waiting client finds no key (nil, read as 1970). The holder " +
			"releases and is granted the lock again, and then the waiting client's GETSET " +
			"overwrites the holder's time with one that was computed a moment earlier. The " +
			"waiting client has lost, but the holder's release compares `existing >= " +
			"acquired_until`, finds a smaller time and leaves the key: the lock stays taken for a " +
			"whole lease although no client is inside. The documents call the overwriting " +
			"harmless."},
	{rows: []string{"getset-java", "getset"}, letters: "R",
		words: "A GETSET that loses the race overwrites the winner's time with a later one. A " +
			"release that looks at the time, or a lease that ended meanwhile, leaves that key " +
			"behind. The documents call the overwriting harmless."},
	{rows: []string{"setnx-del-expired nil-retry"}, letters: "SLO",
		words: "The lease of a leftover ends, and two clients that see it delete one after the " +
			"other, as after a crash. crash:takeover is aimed at that; here it happens when two " +
			"clients are that close."},
}

// chances are letters that a scenario finds only sometimes, and why no gate can make it certain.
var chances = []explanation{
	{rows: []string{"getset-java"}, letters: "SLOR",
		words: "its lease is 4 ms: whether the second grant comes within that depends on the machine"},
	{rows: []string{"setnx-del-expired", "setnx-del-expired nil-retry"}, letters: "SLOR",
		words: "its races need no fault, so that a client may be inside, legally or not, whenever " +
			"the leftover could be seen"},
	{rows: []string{"getset-redispy"}, letters: "R",
		words: "a loser's GETSET must meet the winner's release"},
	{rows: []string{"redisson-multi"}, columns: []string{"reply-loss"}, letters: "R",
		words: "it depends on how many connections the client has open at that moment"},
}

// chance says why a letter is not found each time; "" if it must be.
func chance(row, column, letter string) string {
	return among(chances, matrix.Difference{Row: row, Column: column, Property: letter})
}

// explain returns what is known about a difference; "" if it has not been explained yet.
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
