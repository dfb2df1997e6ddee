package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/matrix"
)

// Claim is a sentence of a document, and the cells of the matrix that confirm or refute it.
type Claim struct {
	Text     string
	Document string
	Row      string
	Columns  []string // the faults under which it is tested; more than one: under each of them
	Breaks   string   // letters that are violated, if the claim is true, under at least one of them
	Keeps    string   // letters that are never violated, if the claim is true
	Slower   string   // instead of letters: this row costs more than the row Than, as Cost says
	Than     string   //
	// what is compared: "acquire" (p50 of contended acquires) or "commands" (for each grant)
	Cost   string
	Test   string  // instead of cells: the test that pins it, and its outcome
	Result Outcome // of Test, or NotTested
	Needs  string  // what is missing to test it
	Note   string
}

// Outcome is what became of a claim.
type Outcome string

// The outcomes.
const (
	Confirmed Outcome = "confirmed"
	Refuted   Outcome = "refuted"
	Unclear   Outcome = "not certain"
	NotTested Outcome = "not tested yet"
)

// all are the letters of the matrix that say whether a lock is safe to use.
const all = "SLOD"

// claims is what the documents say of these locks.
var claims = []Claim{
	// D003, the list of locks.
	{Text: "Bare SETNX: if the service dies before it releases, no client ever gets the lock again.",
		Document: "D003 §1", Row: "setnx", Columns: []string{"crash"}, Breaks: "D"},
	{Text: "SETNX then EXPIRE: a crash between the two leaves a lock without end.",
		Document: "D003 §2, D004 §1.2, D000 §3", Row: "setnx-expire", Columns: []string{"crash"},
		Breaks: "D"},
	{Text: "SET NX PX makes the two atomic, so that cannot happen.", Document: "D003 §3",
		Row: "setpx-del", Columns: []string{"crash", "partition", "reply-loss"}, Keeps: "D"},
	{Text: "If the work is not done when the lease ends, another gets the lock.",
		Document: "D003 §3 ①", Row: "setpx-del", Columns: []string{"longwork"}, Breaks: "S"},
	{Text: "Against that helps only a lease that is as long as possible, and no long work.",
		Document: "D003 §4", Result: Confirmed, Test: "lockbench matrix --mitigations",
		Note: "for work and pauses that are shorter than the lease; after a crash all clients wait " +
			"for the whole of it"},
	{Text: "Then the first one releases the other's lock.", Document: "D003 §3 ②, D004 §2.1",
		Row: "setpx-del", Columns: []string{"longwork"}, Breaks: "O"},
	{Text: "An owner value, compared before DEL, keeps a client from releasing another's lock.",
		Document: "D003 §4", Row: "setpx-getdel", Columns: []string{"longwork"}, Keeps: "O"},
	{Text: "An owner value also solves, indirectly, that the lease ends before the work.",
		Document: "D003 §4", Row: "setpx-getdel", Columns: []string{"longwork"}, Keeps: "S"},
	{Text: "GET and DEL are two steps, so between them the lock may become another's.",
		Document: "D003 §4, D004 §2.2", Row: "setpx-getdel", Columns: []string{"pause"}, Breaks: "O"},
	{Text: "A Lua script closes that gap.", Document: "D003 §5, D004 §2.3", Row: "token-lua",
		Columns: []string{"longwork", "pause", "late", "busy"}, Keeps: "O"},
	{Text: "A lock on Redis is fast: reading and writing is.", Document: "D003 line 52",
		Result: Confirmed, Test: "lockbench matrix --impl token-lua --nemesis none",
		Note: "the page of the matrix has the times"},
	{Text: "When data are not in sync after a failover, people have to intervene.",
		Document: "D003 line 53", Row: "token-lua", Columns: []string{"failover"}, Breaks: "D",
		Note: "the lock goes on by itself, at the latest after a lease; what two clients did at once " +
			"is another matter"},
	{Text: "Replication is asynchronous: a master that dies with a grant gives the lock to two.",
		Document: "D003 §5, D001 §3.2", Row: "token-lua", Columns: []string{"failover"}, Breaks: "L"},
	{Text: "Redlock needs a majority of independent masters, so the loss of a minority does no harm.",
		Document: "D003 §6", Row: "redlock per attempt", Columns: []string{"minority-loss"}, Keeps: all},
	{Text: "Redlock depends on time: a pause breaks it.", Document: "D003 §6",
		Row: "redlock per attempt", Columns: []string{"pause"}, Breaks: "S"},
	{Text: "Redlock depends on the servers' clocks.", Document: "D003 §6", Row: "redlock per attempt",
		Columns: []string{"clock-server+"}, Breaks: "L"},
	{Text: "Redlock depends on time: late messages break it.", Document: "D003 §6",
		Row: "redlock per call", Columns: []string{"late"}, Breaks: "L",
		Note: "only with one owner value for all attempts of a call; " +
			"with a fresh one for each it keeps L"},
	{Text: "Redlock solves what asynchronous replication breaks.", Document: "D003 line 55",
		Row: "redlock per attempt", Columns: []string{"failover"}, Keeps: "SL",
		Note: "not if a master of its bare majority has a replica that takes over"},
	{Text: "Redlock must ask several nodes, which costs.", Document: "D003 line 57",
		Slower: "redlock per attempt", Than: "token-lua", Cost: "commands"},
	{Text: "A deletion that fails leaves Redlock's keys until they expire.", Document: "D003 line 58",
		Row: "redlock per attempt", Columns: []string{"request-loss"}, Breaks: "R"},
	{Text: "The time-out of a request must be shorter than the lease.", Document: "D003 §6",
		Result: Confirmed, Test: "go test ./impls -run TestRedlockBelievesNoLateMajority",
		Note: "a majority that is complete when the lease is over is not believed"},
	{Text: "A refused client must poll, which costs.", Document: "D003 line 59", Slower: "token-lua",
		Than: "redisson watchdog", Cost: "commands"},
	{Text: "antirez has answered every question about Redlock, a long GC among them.",
		Document: "D003 §6", Row: "redlock per attempt", Columns: []string{"pause"}, Keeps: "S",
		Note: "the validity that it declares is kept; a client that does not look at it is not stopped"},
	{Text: "SET's NX and EX came with Redis 2.8.", Document: "D003 §3", Result: NotTested,
		Needs: "servers of that time; Redis' own documentation says 2.6.12"},
	// D004.
	{Text: "Condition 1: at any time only one client holds the lock (of its best lock, §2.3).",
		Document: "D004 line 11", Row: "token-lua", Columns: []string{"none", "crash", "partition",
			"reply-loss", "request-loss"}, Keeps: "SL"},
	{Text: "The same under the faults that it does not name.", Document: "D004 line 11",
		Row:     "token-lua",
		Columns: []string{"pause", "late", "restart", "failover", "clock-server+"}, Keeps: "SL"},
	{Text: "Condition 2: no deadlock, even if a holder crashes.", Document: "D004 line 13",
		Row: "token-lua", Columns: []string{"crash"}, Keeps: "D"},
	{Text: "Condition 3: clients can lock as long as most Redis nodes work.", Document: "D004 line 15",
		Row: "redlock per attempt", Columns: []string{"minority-loss"}, Keeps: "SD",
		Note: "only of Redlock; the locks of D004 use one Redis, and no client can lock when it is gone"},
	{Text: "Condition 4: the client that locks unlocks; no client can unlock another's lock (of " +
		"its best lock, §2.3).",
		Document: "D004 line 17", Row: "token-lua",
		Columns: []string{"longwork", "pause", "late", "failover", "clock-server+"},
		Keeps:   "O"},
	{Text: "Bare DEL lets anyone delete the lock.", Document: "D004 §2.1", Row: "setpx-del",
		Columns: []string{"longwork"}, Breaks: "O"},
	{Text: "SETNX and EXPIRE in one script are atomic.", Document: "D004 §1.3",
		Row: "setnx-expire-lua", Columns: []string{"crash", "partition", "reply-loss"}, Keeps: "D"},
	{Text: "All parameters can travel as KEYS.", Document: "D004 §1.3", Result: NotTested,
		Needs: "a Redis Cluster, which refuses keys of several slots"},
	{Text: "The Lua release of §2.3 works as posted.", Document: "D004 §2.3", Result: Refuted,
		Test: "go test ./impls -run TestGoldenTraces",
		Note: `"1".equals(Long) is false here, too: it deletes and says that it did not`},
	{Text: "A crash between SETNX and EXPIRE is a deadlock.", Document: "D004 §1.2",
		Row: "setnx-expire", Columns: []string{"crash"}, Breaks: "D"},
	{Text: "The Lua SETNX+EXPIRE of §1.3 works as posted.", Document: "D004 §1.3", Result: Refuted,
		Test: "go test ./impls -run TestGoldenTraces",
		Note: `"1".equals(Long) is false: it holds the lock for 20 s and says that it does not`},
	{Text: "The GET and DEL of §2.2 releases the lock that §1.1 took.",
		Document: "D004 §1.1, §2.2",
		Row:      "setpx-getdel-as-posted", Columns: []string{"none"}, Keeps: "R",
		Note: `"requesId" is stored, "app-1-lockKey" compared: never equal`},
	{Text: "Redis is single-threaded, which perfectly avoids the problem of multithreading.",
		Document: "D004 §1", Row: "setnx-del-expired", Columns: []string{"none"}, Keeps: "S",
		Note: "single commands are atomic, algorithms of several are not"},
	{Text: "An optimistic database lock is one of three ways.", Document: "D004 §1",
		Result: NotTested,
		Needs:  "a database"},
	// D000 and D002.
	{Text: "Two clients that both see an expired lease, and DEL it, both get the lock (P2, P3).",
		Document: "D000 §3, D002", Row: "setnx-del-expired nil-retry", Columns: []string{"crash"},
		Breaks: "L"},
	{Text: "A client that dies, or whose network breaks, blocks all others for ever if nothing " +
		"frees its lock.",
		Document: "D000 §3", Row: "setnx", Columns: []string{"crash", "partition"}, Breaks: "D"},
	{Text: "P2's GETSET comes first, P3's second, and P3 has the lock.",
		Document: "D002 lines 65–68",
		Result:   Refuted, Test: "go test ./impls -run TestTheFirstGetsetWins",
		Note: "the first one sees the expired time; the second one sees the first one's"},
	{Text: "GETSET prevents that.", Document: "D000 §3, D002", Row: "getset", Columns: []string{
		"crash"}, Keeps: "SL"},
	{Text: "A loser's GETSET, which overwrites the winner's time, is harmless.", Document: "D000 §3",
		Row: "getset", Columns: []string{"crash"}, Keeps: "SLD",
		Note: "for exclusion after a crash; see the next row"},
	{Text: "The same, of redis-py's code: harmless also for the client that comes next.",
		Document: "D000 §3, D002", Row: "getset-redispy", Columns: []string{"none"}, Keeps: "R"},
	{Text: "A release must look whether the lease is over, or it deletes another's lock; then it " +
		"is safe.",
		Document: "D000 §3", Row: "getset", Columns: []string{"longwork", "pause"}, Keeps: "O",
		Note: "the successor's lease is not over, so the check passes and its lock is deleted"},
	{Text: "The posted Java code is a correct lock.", Document: "D000 §4", Row: "getset-java",
		Columns: []string{"none"}, Keeps: "SLO",
		Note: "a lease of 4 ms instead of 3 s, and release in finally by clients that were refused"},
	{Text: "With a timeout, all hosts must have their clocks synchronised.",
		Document: "D002 lines 98–100", Row: "getset-redispy", Columns: []string{"clock-client"},
		Breaks: "S"},
	{Text: "Without a timeout the lock stays until it is released.", Document: "D002 lines 91–92",
		Result: NotTested,
		Needs:  "a row without a lease; a loser's GETSET may then keep it from ever being released"},
	{Text: "The lease frees the lock of a client that died.", Document: "D000 §3, D002",
		Row:     "getset",
		Columns: []string{"crash"}, Keeps: "D"},
	// D001.
	{Text: "The watchdog lets work take longer than the lease.", Document: "D001 §2.2, §3.1",
		Row: "redisson watchdog", Columns: []string{"longwork"}, Keeps: all},
	{Text: "Not every use has a watchdog: a caller that names a lease has none.",
		Document: "D001 §2.3", Row: "redisson fixed lease", Columns: []string{"longwork"}, Breaks: "S"},
	{Text: "A lease that is too short lets another in while the work goes on.", Document: "D001 §3.1",
		Row: "redisson fixed lease", Columns: []string{"longwork"}, Breaks: "S"},
	{Text: "A lease that is too long lets others wait.", Document: "D001 §3.1", Result: Confirmed,
		Test: "lockbench matrix --mitigations", Note: "after a crash as long as the whole lease"},
	{Text: "If the only Redis is lost, Redisson can do nothing.", Document: "D001 §3.2",
		Result: Confirmed, Test: "lockbench run --impl redisson --nemesis node-crash",
		Note: "nothing is violated, and no client is granted it any more"},
	{Text: "An unlock publishes an event, which wakes the waiting clients.", Document: "D001 §2.4",
		Result: Confirmed, Test: "go test ./impls -run TestGoldenTraces"},
	{Text: "A multi-lock takes all of its locks at once.", Document: "D001 §2.2",
		Row: "redisson-multi", Columns: []string{"none"}, Keeps: "SLO",
		Note: "one after the other, all or none"},
	{Text: "For short holds a spin lock is faster than one that blocks.", Document: "D001 §2.2",
		Slower: "redisson watchdog", Than: "redisson-spin", Cost: "acquire"},
	{Text: "Renewal in the background reduces what network delays and GC pauses do.",
		Document: "D001 §3.4", Row: "redisson watchdog", Columns: []string{"pause"}, Keeps: "S",
		Note: "a pause stops the watchdog, too"},
	{Text: "The lease ensures that the lock is freed if its holder dies.", Document: "D001 §3.4",
		Row: "redisson watchdog", Columns: []string{"crash"}, Keeps: "D"},
	{Text: "A master that dies before replication gives the lock away twice.", Document: "D001 §3.2",
		Row: "redisson watchdog", Columns: []string{"failover"}, Breaks: "L"},
	{Text: "In a cluster at least half of the nodes must grant, so a failover does no harm.",
		Document: "D001 §3.2", Row: "redisson watchdog", Columns: []string{"failover"}, Keeps: "SL",
		Note: "an RLock lives on one master of a cluster, which asks no other"},
	{Text: "The lock is re-entrant, and free after as many releases.", Document: "D001 §3.3",
		Result: Confirmed,
		Test:   "lockbench run --impl redisson --workload reentrant --properties re-entry",
		Note:   "without faults; a command that the client library resends counts twice"},
	{Text: "Unlimited renewal is a danger; there should be a maximum.", Document: "D001 §3.1",
		Result: Confirmed, Test: "go test ./impls -run TestMaxRenewals",
		Note: "the flag is `--max-renewals`"},
	{Text: "A lock held beyond a threshold is unlocked automatically, and an event is sent.",
		Document: "D001 §3.4", Result: NotTested,
		Needs: "a client that listens while a lease ends; in Redisson's source the key only expires " +
			"and nothing is published"},
	// D003, ZooKeeper, databases, rankings.
	{Text: "A ZooKeeper lock has no time-out problem.", Document: "D003 line 61", Result: NotTested,
		Needs: "ZooKeeper; a session that expires is a lease"},
	{Text: "One ephemeral node wakes all waiters; a sequential one wakes the next.",
		Document: "D003 line 37, D003 line 39", Result: NotTested, Needs: "ZooKeeper"},
	{Text: "A database lock is slow and may lock tables.", Document: "D003 lines 44–46",
		Result: NotTested,
		Needs:  "a database"},
	{Text: "Performance: cache > ZooKeeper >= database.", Document: "D003 line 66", Result: NotTested,
		Needs: "ZooKeeper and a database"},
	{Text: "Reliability: ZooKeeper > cache > database.", Document: "D003 line 67", Result: NotTested,
		Needs: "ZooKeeper and a database"},
	{Text: "Ease of understanding, ease of building.", Document: "D003 lines 64–65",
		Result: NotTested,
		Needs:  "people; no program can tell"},
	{Text: "A lock of one's own from the JDK's parts needs no other service.",
		Document: "D003 line 48",
		Row:      "local", Columns: []string{"none"}, Keeps: "S",
		Note: "a mutex in one process excludes no client in another"},
}

// Claims returns what the documents say. The caller may keep and change the slice.
func Claims() []Claim { return slices.Clone(claims) }

// Judge says what the matrix makes of a claim, and which cells decided.
func Judge(m *matrix.Matrix, c Claim) (Outcome, []*matrix.Cell) {
	switch {
	case c.Result != "":
		return c.Result, nil
	case c.Slower != "":
		return compareCosts(m, c), nil
	}
	var broken, unsure []*matrix.Cell
	for _, col := range c.Columns {
		cell := m.Cell(c.Row, col)
		if cell == nil {
			return NotTested, nil
		}
		for _, l := range strings.Split(c.Breaks+c.Keeps, "") {
			switch cell.Property(l).Found {
			case checker.Violated:
				broken = append(broken, cell)
			case checker.Unknown, "":
				unsure = append(unsure, cell)
			}
		}
	}
	switch {
	case len(broken) > 0 && c.Breaks != "":
		return Confirmed, broken
	case len(broken) > 0:
		return Refuted, broken
	case len(unsure) > 0:
		return Unclear, unsure
	case c.Breaks != "":
		return Refuted, nil
	}
	return Confirmed, nil
}

// compareCosts says whether one lock costs more than another.
func compareCosts(m *matrix.Matrix, c Claim) Outcome {
	a, b := m.CostOf(c.Slower), m.CostOf(c.Than)
	if a == nil || b == nil {
		return NotTested
	}
	x, y := a.Commands, b.Commands
	if c.Cost == "acquire" {
		x, y = float64(a.AcquireP50), float64(b.AcquireP50)
	}
	if x > y {
		return Confirmed
	}
	return Refuted
}

// costsOf tells what was compared.
func costsOf(m *matrix.Matrix, c Claim) string {
	a, b := m.CostOf(c.Slower), m.CostOf(c.Than)
	switch {
	case c.Slower == "" || a == nil || b == nil:
		return ""
	case c.Cost == "acquire":
		return fmt.Sprintf("Median of a contended acquire: %s %s, %s %s.", c.Slower, spell(a.AcquireP50),
			c.Than, spell(b.AcquireP50))
	}
	return fmt.Sprintf("Commands of all clients for each grant: %s %.1f, %s %.1f.", c.Slower,
		a.Commands, c.Than, b.Commands)
}

// Command is what tests a claim by itself.
func (c Claim) Command() string {
	switch {
	case c.Test != "":
		return c.Test
	case c.Slower != "":
		return "lockbench matrix --impl " + quoted(c.Slower+","+c.Than) + " --nemesis none"
	case len(c.Columns) == 0:
		return ""
	}
	return "lockbench matrix --impl " + quoted(c.Row) + " --nemesis " + strings.Join(c.Columns, ",")
}

// quoted is a word for a shell.
func quoted(word string) string {
	if strings.Contains(word, " ") {
		return "'" + word + "'"
	}
	return word
}
