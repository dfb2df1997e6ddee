package watch_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/watch"
)

// shown reads lines such as "1.5 a SET k v NX": the second, the client, and the command. The client
// "lua" is a script.
func shown(t *testing.T, text string) (all []history.Shown) {
	t.Helper()
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		at, err := strconv.ParseFloat(f[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, history.Shown{At: 1_800_000_000_000_000 + int64(at*1e6), From: f[1],
			Script: f[1] == "lua", Args: f[2:]})
	}
	return all
}

// judged watches commands on an empty Redis.
func judged(t *testing.T, o watch.Options, text string) (*watch.Summary, string) {
	t.Helper()
	o.Pattern = "lock:*"
	var b strings.Builder
	o.Emit = func(e watch.Event) { fmt.Fprintf(&b, "%s %s %s\n", e.Kind, e.Key, e.Client) }
	j := watch.New(o)
	for _, c := range shown(t, "0 admin FLUSHALL\n"+text) {
		j.Add(c)
	}
	return j.Finish(), b.String()
}

// scripts are the lines of a release and of a renewal, by a client with a value.
func release(at, client, value string) string {
	return at + " " + client + " EVALSHA rel 1 lock:x " + value + "\n" + at + " lua GET lock:x\n"
}

const freed = " lua DEL lock:x\n"

func TestEachFindingAndItsTwin(t *testing.T) {
	const a, b = "aaaaaaaa", "bbbbbbbb"
	// a cycle that teaches what the script rel does
	good := "1 a SET lock:x first000 NX PX 1000\n" + release("1.1", "a", "first000") + "1.1" + freed
	for name, row := range map[string]struct {
		text    string
		clients bool
		want    string
	}{
		"a cycle": {text: good},
		"a release after the lease": {
			text: good + "2 a SET lock:x " + a + " NX PX 1000\n" + release("3.5", "a", a),
			want: "overrun lock:x a\n"},
		"a release within the lease": {
			text: good + "2 a SET lock:x " + a + " NX PX " +
				"1000\n" + release("2.9", "a", a) + "2.9" + freed},
		"a release that is sent twice": {
			text: good + "2 a SET lock:x " + a + " NX PX " +
				"1000\n" + release("2.9", "a", a) + "2.9" + freed +
				release("3.9", "a", a)},
		"a release after the lease, before the script is known": {
			text: "1 a SET lock:x " + a + " NX PX 1000\n" + release("3.5", "a", a) +
				"4 b SET lock:x " + b + " NX PX 1000\n" + release("4.1", "b", b) + "4.1" + freed,
			want: "overrun lock:x a\n"},
		"a script that only looks, after the lease": {
			text: good + "2 a SET lock:x " + a + " NX PX 1000\n3.5 a EVALSHA look 1 lock:x " + a +
				"\n3.5 lua GET lock:x\n"},
		"a release in the moment when the lease ends": {
			text: good + "2 a SET lock:x " + a + " NX PX 1000\n" + release("3.004", "a", a)},
		"a release of another's key": {
			text: good + "2 a SET lock:x " + a + " NX PX 1000\n3.5 b SET lock:x " + b +
				" NX PX 1000\n" + release("3.6", "a", a),
			want: "overrun lock:x a\n"},
		"a script deletes without comparing": {
			text: good + "2 a SET lock:x " + a + " NX PX 1000\n3.5 b SET lock:x " + b +
				" NX PX 1000\n" + "3.6 a EVALSHA bad 1 lock:x " + a + "\n3.6" + freed,
			want: "foreign-delete lock:x b\noverrun lock:x a\n"},
		"a key that was refused, and then its lease was over": {
			text: good + "2 a SET lock:x " + a + " NX PX 1000\n2.5 b SET lock:x " + b +
				" NX PX 1000\n3.5 b SET lock:x " + b + " NX PX " +
				"1000\n" + release("4", "b", b) + "4" + freed},
		"a release in time of a key that another deleted": {clients: true,
			text: good + "2 b SET lock:x " + b + " NX PX 1000\n2.2 c DEL " +
				"lock:x\n" +
				release("2.5", "b", b), want: "foreign-delete lock:x b\n"},
		"plain deletion over another connection of a pool": {
			text: "1 a SET lock:x 1 NX PX 1000\n1.5 a2 DEL lock:x\n"},
		"plain deletion by another client": {clients: true,
			text: "1 a SET lock:x 1 NX PX 1000\n1.5 b DEL lock:x\n1.6 a PING\n",
			want: "foreign-delete lock:x a\n"},
		"plain deletion by a client that connected again": {clients: true,
			text: "1 a SET lock:x 1 NX PX 1000\n1.5 b DEL lock:x\n"},
		"plain deletion by the holder": {clients: true,
			text: "1 a SET lock:x 1 NX PX 1000\n1.5 a DEL lock:x\n"},
		"plain deletion after the lease": {clients: true,
			text: "1 a SET lock:x 1 NX PX 1000\n2.5 a DEL lock:x\n",
			want: "overrun lock:x a\n"},
		"plain deletion of the next holder's key": {clients: true,
			text: "1 a SET lock:x 1 NX PX 1000\n2.2 b SET lock:x 1 NX PX 1000\n2.5 a DEL lock:x\n",
			want: "foreign-delete lock:x b\noverrun lock:x a\n"},
		"no lease": {text: "1 a SETNX lock:x " + a + "\n3 a PING\n", want: "no-lease lock:x a\n"},
		"the lease in a second command": {
			text: "1 a SETNX lock:x " + a + "\n1.001 a EXPIRE lock:x 10\n3 a PING\n"},
		"the lease in the value": {text: "1 a SETNX lock:x 1800000010\n3 a PING\n"},
		"a counter that a script counts up": {
			text: "1 a EVALSHA fence 1 lock:x:token\n1 lua INCR lock:x:token\n3 a PING\n4 " +
				"a FLUSHALL\n"},
		"data that a transaction writes": {
			text: "1 a MULTI\n1 a SET lock:x data\n1 a EXEC\n3 a PING\n4 a FLUSHALL\n"},
		"a short word is no value": {
			text: "1 a SET lock:x 1000 NX PX 1000\n3 b SET lock:x 2000 NX PX 1000\n" +
				"3.5 b EVALSHA bad 1 lock:x 1000\n3.5" + freed},
		"an owner that writes states": {
			text: "1 a SET lock:x processing NX PX 1000\n1.2 a SET lock:x completed PX 1000\n" +
				"3 a SET lock:x processing NX PX 1000\n3.2 a SET lock:x completed PX 1000\n"},
		"an owner that takes the lease away as it writes": {
			text: "1 a SET lock:x " + a + " NX PX 1000\n1.2 a SET lock:x " + b + "\n3 a PING\n",
			want: "no-lease lock:x a\n"},
		"a client that is refused, and gives back by its name": {
			text: good + "2 a SET lock:x worker-01 NX PX 500\n3 b SET lock:x " + b + " NX " +
				"PX 3000\n" +
				"3.5 a SET lock:x worker-01 NX PX 500\n" + release("3.6", "a", "worker-01")},
		"a name that is the start of another": {
			text: good + "2 b SET lock:x worker-12 NX PX 500\n3 a SET lock:x worker-1 NX " +
				"PX 3000\n" +
				"3.5 b EVALSHA bad 1 lock:x worker-12\n3.5" + freed,
			want: "foreign-delete lock:x a\noverrun lock:x b\n"},
		"taken in the moment when the lease ends": {
			text: good + "2 a SET lock:x " + a + " NX PX 1000\n3.001 b SET lock:x " + b +
				" NX PX 1000\n3.3 c SET lock:x cccccccc NX PX 1000\n4.1 d SET lock:x " +
				"dddddddd NX PX 1000\n" +
				"4.4 d SET lock:x dddddddd NX PX " +
				"1000\n" + release("5.2", "d", "dddddddd") + "5.2" + freed},
		"renewed after a try in the moment when the lease ends": {
			text: good + "2 a SET lock:x " + a + " NX PX 1000\n2.996 b SET lock:x " + b +
				" NX PX 1000\n2.998 a PEXPIRE lock:x 1000\n" + release("3.5", "a", a) + "3.5" + freed},
		"a late release after a try in the moment when the lease ends": {
			text: good + "2 a SET lock:x " + a + " NX PX 1000\n3.001 b SET lock:x " + b +
				" NX PX 1000\n" + release("3.3", "a", a) + release("3.4", "a", a),
			want: "overrun lock:x a\n"},
		"a release sent twice, and a try in the moment when the lease ends": {
			text: good + "2 a SET lock:x " + a + " NX PX 1000\n2.996 b SET lock:x " + b +
				" NX PX 1000\n" + release("2.998", "a", a) + "2.998" + freed + release("3.4", "a", a)},
		"renewed in the moment when the lease ends, and released twice": {
			text: good + "2 a SET lock:x " + a + " NX PX 1000\n2.996 b SET lock:x " + b +
				" NX PX 1000\n2.998 a PEXPIRE lock:x 1000\n" + release("3.5", "a", a) + "3.5" + freed +
				release("3.6", "a", a)},
		"renewed by a script in the moment when the lease ends, and released twice": {
			text: good + "2 a SET lock:x " + a + " NX PX 1000\n2.996 b SET lock:x " + b +
				" NX PX 1000\n2.998 a EVALSHA ext 1 lock:x " + a + " 1000\n2.998 lua GET lock:x\n" +
				"2.998 lua PEXPIRE lock:x 1000\n" + release("3.5", "a", a) + "3.5" + freed +
				release("3.6", "a", a)},
		"an owner's name that tries again after the moment when the lease ends": {
			text: good + "2 a SET lock:x worker-01 NX PX 1000\n3.001 b SET lock:x " + b +
				" NX PX 1000\n3.2 a SET lock:x worker-01 NX PX 1000\n" +
				release("3.3", "a", "worker-01")},
		"a script that only looks, after a try in the moment when the lease ends": {
			text: good + "2 a SET lock:x " + a + " NX PX 1000\n3.001 b SET lock:x " + b +
				" NX PX 1000\n3.3 a EVALSHA look 1 lock:x " + a + "\n3.3 lua GET lock:x\n"},
		"an owner's name that tries again in the moment when the lease ends": {
			text: good + "2 a SET lock:x worker-01 NX PX 1000\n2.996 b SET lock:x " + b +
				" NX PX 1000\n3.002 a SET lock:x worker-01 NX PX 200\n" +
				release("3.1", "a", "worker-01")},
		"renewed in the moment when the lease ends, deleted, and released once more": {
			text: good + "2 a SET lock:x " + a + " NX PX 1000\n2.996 b SET lock:x " + b +
				" NX PX 1000\n2.998 a PEXPIRE lock:x 1000\n3.5 a DEL lock:x\n" +
				release("3.6", "a", a)},
		"a release that deletes after the moment when the lease ends": {
			text: good + "2 a SET lock:x " + a + " NX PX 1000\n3.001 b SET lock:x " + b +
				" NX PX 1000\n" + release("3.3", "a", a) + "3.3" + freed},
		"a script that names a hold that was not seen": {clients: true,
			text: good + "2 a SET lock:x " + a + " NX PX 500\n3 a SET lock:x " + b + " NX PX 10\n" +
				release("4", "a", "unseen000")},
		"commands that Redis refuses": {
			text: good + "2 a SET lock:x " + a + " NX PX 1000\n2.1 admin FLUSHALL NOW\n" +
				"2.2 admin FLUSHDB 1\n2.3 admin SWAPDB 0 0\n2.4 admin SWAPDB 0\n" +
				release("2.5", "a", a) + "2.5" + freed},
		"a write that Redis refuses": {clients: true,
			text: "1 a SET lock:y " + a + " PX 0\n1.1 b SET lock:y " + b +
				" NX PX 1000\n1.2 a RENAME data lock:y\n1.3 a SET lock:y " + a + " PX 0\n" +
				"1.4 b SET lock:y " + b + " NX PX 1000\n1.5 c DEL lock:y\n2 a PING\n3 b PING\n"},
		"renewed by a command that the model does not know": {
			text: good + "2 a SET lock:x " + a + " NX PX 1000\n2.8 a SET lock:x " + a + " " +
				"IFEQ " + a +
				" PX 1000\n" + release("3.5", "a", a) + "3.5" + freed},
		"renewed by GETEX after the lease": {clients: true,
			text: "1 a SET lock:x " + a + " NX PX 1000\n3 a GETEX lock:x PX 1000\n",
			want: "overrun lock:x a\n"},
		"read by GETEX after the lease": {clients: true,
			text: "1 a SET lock:x " + a + " NX PX 1000\n3 a GETEX lock:x\n"},
		"overwritten after the lease": {
			text: "1 a SET lock:x " + a + " NX PX 1000\n2.5 b SET lock:x " + b +
				" NX PX 1000\n3 a SET lock:x " + a + " XX PX 1000\n",
			want: "foreign-delete lock:x b\noverrun lock:x a\n"},
		"a lease that never ends": {
			text: good + "2 a SET lock:x " + a + " NX PX " +
				"9223372036854775\n" + release("3", "a", a) +
				"3" + freed + release("3.5", "a", a)},
		"deleted together with a large key": {
			text: good + "2 a SET lock:x " + a + " NX PX 200\n2.6 a DEL lock:x " +
				"big\n", clients: true},
		"a script with two modes": {
			text: good + "2 a SET lock:x " + a + " NX PX 1000\n2.1 a EVALSHA both 1 lock:x " + a +
				" release\n2.1" + freed + "3 a SET lock:x " + b + " NX PX 1000\n" +
				"4.5 a EVALSHA both 1 lock:x " + b + " check\n"},
		"deleted over a pool, and released once more": {
			text: good + "2 a SET lock:x " + a + " NX PX 1000\n2.5 a2 DEL lock:x\n" +
				release("3.5", "a", a)},
		"a field with one name for all owners": {
			text: good + "2 a HSETNX lock:x locked_by " + a + "\n2 a PEXPIRE lock:x 500\n" +
				"3 b HSETNX lock:x locked_by " + b + "\n3 b PEXPIRE lock:x 500\n3.1 b HDEL " +
				"lock:x locked_by\n"},
		"a hash with a word of its author": {clients: true,
			text: "1 a EVALSHA take 1 lock:x uuid-aaaa1111 exclusive\n" +
				"1 lua HSET lock:x uuid-aaaa1111 exclusive\n1 lua PEXPIRE lock:x 1000\n" +
				"1.2 b EVALSHA bad 1 lock:x uuid-bbbb2222 exclusive\n1.2" + freed + "2 a PING\n",
			want: "foreign-delete lock:x a\n"},
		"a wrong command of another, and a late release": {clients: true,
			text: "1 a SET lock:x " + a + " NX PX 1000\n1.1 b SET lock:x " + b +
				" NX PX 0\n2.5 a DEL lock:x\n", want: "overrun lock:x a\n"},
		"a counter that is set back": {text: "1 a GETSET lock:x 0\n3 a PING\n"},
		"a message on a channel with the name of the key": {
			text: good + "2 a SET lock:x " + a + " NX PX 1000\n2.1 a SPUBLISH lock:x hello\n" +
				release("3.5", "a", a),
			want: "overrun lock:x a\n"},
		"renamed to a key that was absent": {
			text: "1 a RENAME data lock:y\n2 a SET lock:y aaaaaaaa NX PX 100\n" +
				"3 a EVALSHA rel 1 lock:y aaaaaaaa\n3 lua GET lock:y\n" +
				good},
		"a plain write is no lock": {text: "1 a SET lock:x " + a + "\n3 a PING\n"},
		"flushed": {text: good + "2 a SET lock:x " + a + " NX PX 1000\n2.5 admin FLUSHALL\n",
			want: "vanished lock:x a\n"},
		"flushed when free": {text: good + "2.5 admin FLUSHALL\n"},
		"flushed after the lease": {text: good + "2 a SET lock:x " + a +
			" NX PX 1000\n3.5 admin FLUSHALL\n"},
		"a renewal after the lease": {
			text: "1 a SET lock:x " + a + " NX PX 1000\n1.5 a EVALSHA ext 1 lock:x " +
				"" + a + " 1000\n" +
				"1.5 lua GET lock:x\n1.5 lua PEXPIRE lock:x 1000\n" +
				"3.5 a EVALSHA ext 1 lock:x " + a + " 1000\n3.5 lua GET lock:x\n",
			want: "overrun lock:x a\n"},
		"a renewal in time": {
			text: "1 a SET lock:x " + a + " NX PX 1000\n1.5 a EVALSHA ext 1 lock:x " +
				"" + a + " 1000\n" +
				"1.5 lua GET lock:x\n1.5 lua PEXPIRE lock:x " +
				"1000\n" + release("2.3", "a", a) + "2.3" + freed},
		"a hash with a counter": {
			text: "1 a EVALSHA take 1 lock:x 1000 " + a + "\n1 lua EXISTS lock:x\n" +
				"1 lua HINCRBY lock:x " + a + " 1\n1 lua PEXPIRE lock:x 1000\n" +
				"1.2 b EVALSHA take 1 lock:x 1000 " + b + "\n1.2 lua EXISTS lock:x\n" +
				"1.2 lua HEXISTS lock:x " + b + "\n1.2 lua PTTL lock:x\n" +
				"1.3 a EVALSHA give 1 lock:x " + a + "\n1.3 lua HEXISTS lock:x " + a + "\n" +
				"1.3 lua HINCRBY lock:x " + a + " -1\n1.3" + freed},
		"a hash whose lease was over": {
			text: "1 a EVALSHA take 1 lock:x 1000 " + a + "\n1 lua EXISTS lock:x\n" +
				"1 lua HINCRBY lock:x " + a + " 1\n1 lua PEXPIRE lock:x 1000\n" +
				"1.3 a EVALSHA give 1 lock:x " + a + "\n1.3 lua HEXISTS lock:x " + a + "\n" +
				"1.3 lua HINCRBY lock:x " + a + " -1\n1.3" + freed +
				"2 b EVALSHA take 1 lock:x 1000 " + b + "\n2 lua EXISTS lock:x\n" +
				"2 lua HINCRBY lock:x " + b + " 1\n2 lua PEXPIRE lock:x 1000\n" +
				"4 b EVALSHA give 1 lock:x " + b + "\n4 lua HEXISTS lock:x " + b + "\n",
			want: "overrun lock:x b\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s, got := judged(t, watch.Options{Clients: row.clients}, row.text)
			if got != row.want {
				t.Errorf("%s\nevents:\n%swant:\n%s", s.Answer, got, row.want)
			}
		})
	}
}

// TestALongPauseIsFound: others have held the lock many times before the client goes on.
func TestALongPauseIsFound(t *testing.T) {
	text := "1 a SET lock:x slowslow NX PX 100\n"
	for i := range 30 {
		at, value := strconv.Itoa(2+i), fmt.Sprintf("quick%03d", i)
		text += at + " b SET lock:x " + value + " NX PX " +
			"500\n" + release(at+".1", "b", value) + at + ".1" +
			freed
	}
	if _, got := judged(t, watch.Options{}, text+release("40", "a", "slowslow")); got !=
		"overrun lock:x a\n" {
		t.Errorf("events: %s", got)
	}
}

// TestASecondCapture begins where a file has the output of two runs of MONITOR.
func TestASecondCapture(t *testing.T) {
	line := func(at int, command string) string {
		return fmt.Sprintf("%d.000000 [0 127.0.0.1:5] %s\n", 1_800_000_000+at, command)
	}
	const take, give = `"SET" "lock:x" "aaaaaaaa" "NX" "PX" "1000"`, `"DEL" "lock:x"`
	text := "OK\n" + line(0, `"FLUSHALL"`) + line(1, take) + "OK\n" + line(5, give)
	s, err := watch.Read(strings.NewReader(text), watch.Options{Pattern: "*", Clients: true}, nil)
	if err != nil || len(s.Events) > 0 || !slices.Contains(s.Lost, "a second capture begins") {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestAKeyIsUnknownUntilItIsWritten begins in the middle of a hold.
func TestAKeyIsUnknownUntilItIsWritten(t *testing.T) {
	j := watch.New(watch.Options{Pattern: "lock:*"})
	for _, c := range shown(t, "1 a SET lock:x aaaaaaaa NX PX 1000\n"+release("3", "a", "aaaaaaaa")+
		"3"+freed+"4 b SET lock:x bbbbbbbb NX PX 1000\n4.1 c SET lock:x cccccccc NX PX 1000\n") {
		j.Add(c)
	}
	s := j.Finish()
	if len(s.Keys) != 1 || s.Keys[0].Acquired != 1 || s.Keys[0].Refused != 1 || s.Exit != 0 {
		t.Errorf("%+v", s)
	}
}

func TestNumbersOfAKey(t *testing.T) {
	text := ""
	for i := range 100 {
		at := float64(1 + i)
		text += fmt.Sprintf("%.3f a SET lock:x aaaaaa%02d NX PX 1000\n", at, i)
		text += fmt.Sprintf("%.3f b SET lock:x bbbbbb%02d NX PX 1000\n", at+.1, i)
		text += fmt.Sprintf("%.3f a EVALSHA rel 1 lock:x aaaaaa%02d\n", at+.5, i)
		text += fmt.Sprintf("%.3f lua DEL lock:x\n", at+.5)
	}
	s, got := judged(t, watch.Options{}, text)
	k := s.Keys[0]
	if k.Acquired != 100 || k.Refused != 100 || k.Released != 100 || k.Shape != "SET NX" ||
		k.Hold.P50 < 490_000 || k.Hold.P50 > 550_000 || k.Hold.Longest < 499_000 || k.Share < .49 {
		t.Errorf("%+v", k)
	}
	if want := "starving lock:x b\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestQuantilesOfOneHold has one value, which is each quantile.
func TestQuantilesOfOneHold(t *testing.T) {
	s, _ := judged(t, watch.Options{}, "1 a SET lock:x aaaaaaaa NX PX 1000\n"+
		release("1.5", "a", "aaaaaaaa")+"1.5"+freed)
	h := s.Keys[0].Hold
	if h.N != 1 || h.Longest != 500_000 || h.P50 != h.Longest || h.P99 != h.Longest {
		t.Errorf("%+v", h)
	}
}

// TestAnOverrunIsMeasured wants the length of the hold that overran in the table, and the lease
// that its command asked for: 300 ms, although its first millisecond had begun.
func TestAnOverrunIsMeasured(t *testing.T) {
	s, _ := judged(t, watch.Options{}, "1 a SET lock:x first000 NX PX 300\n"+
		release("1.1", "a", "first000")+"1.1"+freed+
		"2.0005 a SET lock:x aaaaaaaa NX PX 300\n"+release("2.4505", "a", "aaaaaaaa"))
	k := s.Keys[0]
	if k.Hold.N != 2 || k.Hold.Longest != 450_000 || k.Share < 1.49 || k.Share > 1.52 {
		t.Errorf("%+v", k)
	}
	const want = "after its lease of 300 ms was over"
	if len(s.Events) != 1 || !strings.Contains(s.Events[0].Text, want) {
		t.Errorf("%+v", s.Events)
	}
}

// TestALeaseThatEndsNearAWrite is not judged, and the summary says so and why.
func TestALeaseThatEndsNearAWrite(t *testing.T) {
	text := "1 a SET lock:x aaaaaaaa NX PX 300\n1.303 b SET lock:x bbbbbbbb NX PX 300\n" +
		"1.35 b SET lock:x cccccccc NX PX 300\n"
	s, _ := judged(t, watch.Options{}, text)
	const want = "Not judged: 1 end of a lease, because a write came within 10 ms of each, and 2 " +
		"commands until the key was known again. An overrun there may not be seen."
	if got := s.Limits(); len(got) != 1 || got[0] != want {
		t.Errorf("%q", got)
	}
}

// TestTheWitnessHasNoSpentHold has a client that deletes another's key, for a hold that it took
// while the key was not known. Its hold before, for which it had sent a deletion, is no witness.
func TestTheWitnessHasNoSpentHold(t *testing.T) {
	const taken = " SET lock:x 1 NX PX 1000\n"
	for name, before := range map[string]string{
		"released":            "1 a" + taken + "1.1 a DEL lock:x\n",
		"its deletion failed": "0.1 a SET lock:x 1 NX PX 200\n0.4 a DEL lock:x\n",
		"it deleted another's": "1 a" + taken + "1.1 b DEL lock:x\n1.2 b" + taken +
			"1.3 a DEL lock:x\n",
	} {
		s, _ := judged(t, watch.Options{Clients: true}, before+"2 b"+taken+"3.001 a"+taken+
			"3.2 c DEL lock:x\n3.3 b"+taken+"3.4 a DEL lock:x\n4 a PING\n4 b PING\n")
		for _, e := range s.Events {
			proof := strings.Join(e.Witness, "\n")
			if strings.Contains(proof, ".400000 a DEL") && e.Kind == watch.ForeignDelete &&
				(len(e.Witness) != 2 || !strings.Contains(e.Witness[0], "b SET lock:x")) {
				t.Errorf("%s: %s", name, proof)
			}
		}
		if s.Found[watch.ForeignDelete] == 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// TestValuesAreMasked wants no value in any event or summary.
func TestValuesAreMasked(t *testing.T) {
	const secret = "0123456789abcdef"
	var events []watch.Event
	j := watch.New(watch.Options{Pattern: "lock:*", Routine: true,
		Emit: func(e watch.Event) { events = append(events, e) }})
	for _, c := range shown(t, "0 x FLUSHALL\n1 a SET lock:x "+secret+" NX PX 1000\n"+
		release("1.5", "a", secret)+"1.5"+freed+"2 a SET lock:x "+secret+"2 NX PX 1000\n"+
		release("3.5", "a", secret+"2")) {
		j.Add(c)
	}
	j.Finish()
	text := fmt.Sprint(events)
	if strings.Contains(text, secret[:8]) || !strings.Contains(text, "0123…(16)") ||
		!slices.ContainsFunc(events, func(e watch.Event) bool { return e.Kind == watch.Overrun }) {
		t.Error(text)
	}
}

// TestNoDeletionIsTheClientsIfTheServerRemovedKeys: b deletes its own key, which it took because
// a's had been evicted, or the server was another one.
func TestNoDeletionIsTheClientsIfTheServerRemovedKeys(t *testing.T) {
	clients := map[string]bool{"a": true, "b": true}
	text := "0 admin FLUSHALL\n0.5 w PING one\n1 a SET lock:x 1 NX PX 9000\n" +
		"2 b SET lock:x 1 NX PX 9000\n2.5 b DEL lock:x\n3 w PING two\n"
	for name, c := range map[string]struct {
		now   watch.Poll
		found bool
	}{
		"nothing happened": {watch.Poll{RunID: "x"}, true},
		"evicted":          {watch.Poll{RunID: "x", Evicted: 1}, false},
		"another server":   {watch.Poll{RunID: "y"}, false},
		"a replica now":    {watch.Poll{RunID: "x", Replica: true}, false},
	} {
		c.now.Clients = clients
		polls := map[string]*watch.Poll{"one": {RunID: "x", Clients: clients}, "two": &c.now}
		found := ""
		j := watch.New(watch.Options{Pattern: "lock:*", Clients: true,
			Poll: func(token string) *watch.Poll { return polls[token] },
			Emit: func(e watch.Event) { found += string(e.Kind) + " " }})
		for _, s := range shown(t, text) {
			j.Add(s)
		}
		j.Finish()
		if got := strings.Contains(found, "foreign-delete"); got != c.found {
			t.Errorf("%s: %q", name, found)
		}
	}
}

// TestADeletionOfAnUnknownClient may be of another client's key, or late: nothing is known then.
func TestADeletionOfAnUnknownClient(t *testing.T) {
	const take = "1 a SET lock:x aaaaaaaa NX PX 1000\n"
	for name, c := range map[string]struct {
		text string
		own  bool // clients share no connections
		exit int
	}{
		"by another connection":           {take + "1.5 b DEL lock:x", false, 2},
		"after the lease":                 {take + "3 b DEL lock:x", false, 2},
		"by the same connection":          {take + "1.5 a DEL lock:x", false, 0},
		"a second one":                    {take + "1.5 a DEL lock:x\n3 b DEL lock:x", false, 0},
		"of a key that no lock had":       {"0.5 b DEL lock:x\n" + take, false, 0},
		"late, and connections tell":      {take + "3 a DEL lock:x", true, 1},
		"by one that never took the lock": {take + "3 b DEL lock:x", true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s, got := judged(t, watch.Options{Clients: c.own}, "0.1 a DEL lock:x\n"+c.text+"\n")
			if s.Exit != c.exit || (c.exit == 2) != strings.HasPrefix(s.Answer, "Unknown: 1 deletion") {
				t.Errorf("exit code %d: %s %s", s.Exit, s.Answer, got)
			}
		})
	}
}

// TestDatabasesAreApart has a hold in database 1 whose lease is over, and an unknown command for a
// key of the same name. COPY into database 1 makes the hold's key unknown.
func TestDatabasesAreApart(t *testing.T) {
	for command, overruns := range map[string]int{
		`"XADD" "lock:x" "*" "a" "b"`:       1,
		`"COPY" "lock:y" "lock:x"`:          1,
		`"COPY" "lock:y" "lock:x" "DB" "1"`: 0,
	} {
		text := fmt.Sprintf(`1800000000.000000 [0 10.0.0.9:1] "FLUSHALL"
1800000001.000000 [1 10.0.0.1:1] "SET" "lock:x" "aaaaaaaa" "NX" "PX" "1000"
1800000001.500000 [0 10.0.0.2:1] %s
1800000003.000000 [1 10.0.0.1:1] "DEL" "lock:x"
`, command)
		s, err := watch.Read(strings.NewReader(text), watch.Options{Pattern: "lock:*", Clients: true},
			nil)
		if err != nil || s.Found[watch.Overrun] != overruns {
			t.Errorf("%s: %v, %+v", command, err, s)
		}
	}
}
