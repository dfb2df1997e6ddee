package checker

import (
	"strings"
	"testing"
)

// TestWords: a violation is told by who and what caused it, and by nothing else.
func TestWords(t *testing.T) {
	for _, c := range wordCases {
		t.Run(c.property+" "+c.name, func(t *testing.T) {
			v := Check(story(t, c.story), commands(t, c.trace), Options{Properties: []string{c.property}})
			p := v.Properties[0]
			got := p.Explanation + p.Cause
			if p.Verdict != Violated || !strings.Contains(got, c.want) ||
				c.without != "" && strings.Contains(got, c.without) {
				t.Errorf("%s\ngot  %s\nwant %s\nwithout %s", p.Verdict, got+p.Reason, c.want, c.without)
			}
		})
	}
}

// wordCases are violations, and what must and must not be told of them.
var wordCases = []struct {
	name, property, story, trace, want, without string
}{
	// Whose key keeps others out.
	{"a key that its server may have lost", "D", leftBehind, leftOnN0 + asksN0("EXISTS k -> 0"),
		"no client was granted", "client 2"},
	{"a key that is there after its server may have lost it", "D", leftBehind, leftOnN0 +
		asksN0("SETNX k b -> 0"), "The last to write the key was client 2", ""},
	{"a key that its server may have lost, and nobody was refused", "D", leftBehind, leftOnN0 +
		asksN0("PING -> PONG"), "no client was granted", "client 2"},
	{"a key that a client found absent", "D", keptAlive, leftOnN0 +
		asksN0("EXISTS k -> 0"), "no client was granted", "client 2"},
	{"a key that was there before its server lost it", "D", strings.Replace(leftBehind, "70 80",
		"8100000000 8100000010", 1), leftOnN0 + asksN0("SETNX k b -> 0"), "client 2", ""},
	{"a key that was taken as another client's was released", "D", keptAlive, leftOnN0 +
		"0 1 53 54 n0 DEL k -> 1\n" + asksN0("SETNX k b -> 0"), "The last to write the key was client 2",
		""},
	{"a key that was taken and released at once", "D", keptAlive, leftOnN0 +
		"0 1 53 54 n0 DEL k -> 1\n" + asksN0("PING -> PONG"), "no client was granted", "client 2"},
	{"a key that was taken, released, and taken again", "D", keptAlive, leftOnN0 +
		"0 1 53 54 n0 DEL k -> 1\n3 1 60 0 n0 SETNX k d ->\n" + asksN0("SETNX k b -> 0"),
		"The last to write the key was client 3", "client 2"},

	{"a key left behind that was taken as another client's was released", "R", takenMeanwhile,
		takenAtOnce + refusedLater, "client 2 had written the key", ""},
	{"the same, and a key on another server was deleted", "R", takenMeanwhile, takenAtOnce +
		"3 1 150 151 n1 DEL k -> 1\n" + refusedLater, "client 2 had written the key", ""},
	{"the same, and a client found none", "R", takenMeanwhile, takenAtOnce +
		"3 1 100 101 n0 EXISTS k -> 0\n" + refusedLater, "left behind", "client 2 had written"},
	{"the same, and another was refused before the answer", "R", takenMeanwhile, takenAtOnce +
		"3 1 55 58 n0 SET k dddddddd NX PX 200 -> (nil)\n3 1 100 101 n0 EXISTS k -> 0\n" +
		refusedLater, "left behind", "client 2 had written"},
	{"the same, and another deleted a key meanwhile", "R", takenMeanwhile, takenAtOnce +
		"3 1 55 58 n0 DEL k -> 1\n" + refusedLater, "left behind", "client 2 had written"},
	{"the same, and another deleted some keys meanwhile", "R", takenMeanwhile,
		"3 1 3 4 n0 SET i x -> OK\n3 1 5 6 n0 SET j x -> OK\n" + takenAtOnce +
			"3 1 55 58 n0 DEL k j i -> 1\n" + refusedLater, "left behind", "client 2 had written"},
	{"the same, and another write may not have arrived", "R", takenMeanwhile +
		"; fault cut c3>n0 99 105", takenAtOnce + "3 1 100 0 n0 SET k dddddddd NX PX 200 ->\n" +
		refusedLater, "left behind", "client 2 had written"},
	{"a key was deleted before the first write", "R", nobodyStory, "2 1 1 2 n0 DEL k -> 1\n" +
		nobodyTrace + refusedR, "client 0 had written the key", ""},

	// What a server did not have, it did not run.
	{"a release whose script the server did not have", "L", leased +
		"c1 acquire 5 8 sent=6 lease=1; c0 acquire 10 20 sent=12 lease=200000000; c1 release 40 50; " +
		"c2 acquire 60 70 sent=61 lease=200000000; c2 release 90 100; c0 release 110 120",
		"1 1 6 7 n0 SET k aaaaaaaa NX PX 0.000001 -> OK\n" + takes +
			"1 1 41 42 n0 EVALSHA rel 1 k aaaaaaaa -> (error) NOSCRIPT No matching script.\n" +
			"1 1 43 44 n0 EVAL del 1 k aaaaaaaa -> 1 | DEL k\n" +
			"2 1 61 65 n0 SET k aaaaaaaa NX PX 200 -> OK\n2 1 91 95 n0 DEL k -> 1\n" +
			"0 1 111 115 n0 DEL k -> 0\n", "deleted the key of client 0", "may have deleted"},

	// The error that a client got while it waited.
	{"an error before the wait", "D", "c2 acquire 1 4 info; " + once + "c1 acquire 10 1500000000 fail",
		"2 1 2 3 n0 EVALSHA ab 1 k b -> (error) NOSCRIPT No\n" + refusals(1, 1, 20, 15),
		"no client was granted", "was answered"},
	{"an error within the wait", "D", once + "c1 acquire 10 1500000000 fail",
		"1 1 30 31 n0 EVALSHA ab 1 k b -> (error) NOSCRIPT No\n" + refusals(1, 1, 20, 15),
		"Client 1 was answered \"NOSCRIPT No\"", ""},
	{"two errors within the wait", "D", once + "c2 acquire 12 1600000000 fail; " +
		"c1 acquire 10 1500000000 fail",
		"1 1 400000000 400000001 n0 EVALSHA ab 1 k b -> (error) late\n" +
			"2 1 50 51 n0 EVALSHA ab 1 k b -> (error) early\n" + refusals(1, 1, 20, 15),
		"was answered \"late\"", "was answered \"early\""},
	{"an error before the lock was free, of a call within the wait", "D",
		"c0 acquire 10 20 sent=12 lease=100; c0 release 80 90; c1 acquire 11 1500000000 fail",
		"1 1 30 31 n0 EVALSHA ab 1 k b -> (error) NOSCRIPT No\n" + refusals(1, 1, 100, 15),
		"no client was granted", "was answered"},
	{"an error after the wait", "D", once + "c1 acquire 10 1500000000 fail; " +
		"c2 acquire 1600000000 1700000000 info", refusals(1, 1, 20, 15) +
		"2 1 1610000000 1610000001 n0 EVALSHA ab 1 k b -> (error) NOSCRIPT No\n",
		"no client was granted", "was answered"},
	{"a command that was never answered before the wait", "D", once + "c1 acquire 10 1500000000 fail",
		"1 1 12 0 n0 GET k ->\n" + refusals(1, 1, 20, 15), "no client was granted", "was answered"},

	// Who left the key that keeps clients from the lock.
	{"one server gives no votes", "D", once + "c1 acquire 10 1500000000 fail",
		refusals(1, 1, 20, 15) + "2 1 30 31 n0 EVAL s 1 k x -> 1", "no client was granted", "Votes"},
	{"several servers, and the votes say more than who wrote last", "D", three + "c2 kill 5; " +
		"c2 exit 6 planned; " + split, "2 1 1 2 n0 SET k c NX PX 1 -> OK\n" + deadVotes(),
		"Votes were given", "The last to write"},
	{"written later", "D", once + "c1 acquire 10 1500000000 fail; " +
		"c2 acquire 1600000000 1700000000 sent=1600000001 lease=9",
		refusals(1, 1, 20, 15) + "0 1 2 3 n0 SET k a NX PX 1 -> OK\n" +
			"2 1 1600000001 1600000002 n0 SET k c NX PX 1 -> OK", "to write the key was client 0",
		"to write the key was client 2"},
	{"written by a command that was never answered", "D", once + "c1 acquire 10 1500000000 fail; " +
		"c2 acquire 8 9 fail", "0 1 1 2 n0 EXPIRE k 9 -> 0\n" + refusals(1, 1, 20, 15) +
		"2 1 8 0 n0 SETNX k c ->",
		"client 2, at 0.000 s with \"SETNX k c\", which was never answered; its acquire was not granted",
		""},
	{"written by a command that ended in an error", "D", once + "c1 acquire 10 1500000000 fail; " +
		"c2 acquire 8 9 fail", refusals(1, 1, 20, 15) + "2 1 8 9 n0 SETNX k c -> !EOF",
		"client 2, at 0.000 s with \"SETNX k c\", which was never answered", ""},
	{"a read that was never answered writes nothing", "D", once + "c1 acquire 10 1500000000 fail; " +
		"c2 acquire 8 9 fail", "0 1 2 3 n0 SETNX k a -> 1\n2 1 8 0 n0 GET k ->\n" +
		refusals(1, 1, 20, 15), "client 0, at 0.000 s with \"SETNX k a\"", "client 2"},
	{"written by a script that was never answered", "D", once + "c1 acquire 10 1500000000 fail; " +
		"c2 acquire 8 9 fail", "0 1 2 3 n0 SETNX k a -> 1\n2 1 8 0 n0 EVAL s 1 k c ->\n" +
		refusals(1, 1, 20, 15), "to write the key was client 2", ""},
	{"a script that frees and was never answered writes nothing", "D", grabs + once +
		"c1 acquire 10 1500000000 fail; c2 acquire 8 9 fail",
		"0 1 2 3 n0 SETNX k a -> 1\n2 1 8 0 n0 EVAL drop 1 k c ->\n" + refusals(1, 1, 20, 15),
		"to write the key was client 0", ""},
	{"written and deleted", "D", once + "c1 acquire 10 1500000000 fail",
		"0 1 2 3 n0 SETNX k a -> 1\n0 1 6 7 n0 DEL k -> 1\n" + refusals(1, 1, 20, 15),
		"no client was granted", "The last to write"},
	{"a time to live that is read", "D", free + "c0 acquire 1; c0 kill 5; c0 exit 6 planned; " +
		"c1 acquire 10 1500000000 fail", "0 1 2 3 n0 SET k a NX EX 90 -> OK\n0 1 4 5 n0 GET k -> a\n" +
		refusals(1, 1, 20, 15), "the key lives for 90.00 s", "no time to live"},
	{"a time to live that is given later", "D", free + "c0 acquire 1; c0 kill 5; c0 exit 6 planned; " +
		"c1 acquire 10 1500000000 fail", "0 1 2 3 n0 SETNX k a -> 1\n0 1 4 5 n0 EXPIRE k 90 -> 1\n" +
		refusals(1, 1, 20, 15), "the key lives for 90.00 s", "no time to live"},
	{"a time to live that was asked for in vain", "D", free + "c0 acquire 1; c0 kill 5; " +
		"c0 exit 6 planned; c1 acquire 10 1500000000 fail",
		"0 1 2 3 n0 SETNX k a -> 1\n0 1 4 5 n0 SET k b IFEQ b EX 90 -> (nil)\n" +
			refusals(1, 1, 20, 15), "no time to live", "the key lives"},
	{"a time to live that may have been given", "D", free + "c0 acquire 1; c0 kill 5; " +
		"c0 exit 6 planned; c1 acquire 10 1500000000 fail",
		"0 1 2 3 n0 SETNX k a -> 1\n0 1 4 0 n0 EXPIRE k 90 ->\n" + refusals(1, 1, 20, 15),
		"it was killed", "no time to live"},

	{"a deletion by a time to live of 0, before the first write", "D", once +
		"c1 acquire 10 1500000000 fail", "0 1 1 2 n0 PEXPIRE k 0 -> 1\n" + refusals(1, 1, 20, 15),
		"no client was granted", "The last to write"},
	{"a deletion by a time to live of 0 that was never answered", "D", once +
		"c1 acquire 10 1500000000 fail", "0 1 2 3 n0 SETNX k a -> 1\n0 1 6 0 n0 PEXPIRE k 0 ->\n" +
		refusals(1, 1, 20, 15), "to write the key was client 0", "given the key its lease"},
	{"renewed on by a client that left", "D", once + "c1 acquire 10 1500000000 fail",
		"0 1 2 3 n0 SETNX k a -> 1\n" + refusals(1, 1, 20, 15) +
			"0 1 1100000000 1100000001 n0 PEXPIRE k 9 -> 1\n",
		"client 0 went on renewing the key, last at 1.100 s with \"PEXPIRE k 9\"", "no time to live"},
	{"a renewal in vain", "D", once + "c1 acquire 10 1500000000 fail",
		"0 1 2 3 n0 SETNX k a -> 1\n" + refusals(1, 1, 20, 15) +
			"0 1 1100000000 1100000001 n0 PEXPIRE k 9 -> 0\n", "to write the key was client 0",
		"went on renewing"},
	{"renewed before it was free", "D", once + "c1 acquire 10 1500000000 fail",
		"0 1 2 3 n0 SETNX k a -> 1\n0 1 4 5 n0 PEXPIRE k 9 -> 1\n" + refusals(1, 1, 20, 15),
		"to write the key was client 0", "went on renewing"},
	{"renewed after the wait", "D", once + "c1 acquire 10 1500000000 fail; " +
		"c2 acquire 1600000000 1700000000 info",
		"0 1 2 3 n0 SETNX k a -> 1\n" + refusals(1, 1, 20, 15) +
			"0 1 1650000000 1650000001 n0 PEXPIRE k 9 -> 1\n", "to write the key was client 0",
		"went on renewing"},

	// What became of the client that left it.
	{"the client of another hold", "D", free + "c2 acquire 1 3 sent=2 lease=9; c2 release 4 5; " +
		"c0 acquire 4 6 sent=5 lease=9; c0 release 7 8 info; c1 acquire 10 1500000000 fail",
		"2 1 2 3 n0 SETNX k c -> 1\n2 1 4 5 n0 DEL k -> 1\n0 1 5 6 n0 SETNX k a -> 1\n" +
			"0 1 7 0 n0 DEL k ->\n" + refusals(1, 1, 20, 15), "client 0, at 0.000 s with \"SETNX k a\"; " +
			"its release of 0.000 s did not succeed", ""},
	{"a later hold of the same client", "D", free + "c0 acquire 1 3 sent=2 lease=9; " +
		"c0 release 4 5 info; c0 acquire 1600000000 1600000005 sent=1600000001 lease=9; " +
		"c0 release 1600000006 1600000007; c1 acquire 10 1500000000 fail",
		"0 0 2 3 n0 SETNX k a -> 1\n0 0 4 0 n0 DEL k ->\n" + refusals(1, 1, 20, 15) +
			"0 0 1600000001 1600000002 n0 SETNX k a -> 1", "its release of 0.000 s did not succeed", ""},
	{"commands that do not say for which acquisition they are", "D", free +
		"c0 acquire 1 3 sent=2 lease=9; c0 release 4 5 info; c1 acquire 10 1500000000 fail",
		"0 0 2 3 n0 SETNX k a -> 1\n0 0 4 0 n0 DEL k ->\n" + refusals(1, 1, 20, 15),
		"its release of 0.000 s did not succeed", ""},
	{"another client is killed", "D", free + "c0 acquire 1 3 sent=2 lease=9; c0 release 4 5 info; " +
		"c2 kill 8; c2 exit 9 planned; c1 acquire 10 1500000000 fail",
		"0 1 2 3 n0 SETNX k a -> 1\n0 1 4 0 n0 DEL k ->\n" + refusals(1, 1, 20, 15),
		"its release of 0.000 s did not succeed", "it was killed"},
	{"the client ends, unharmed, when the run does", "D", free + "c0 acquire 1 3 sent=2 lease=9; " +
		"c0 release 4 5 info; c0 exit 1600000000 planned; c1 acquire 10 1500000000 fail",
		"0 1 2 3 n0 SETNX k a -> 1\n0 1 4 0 n0 DEL k ->\n" + refusals(1, 1, 20, 15),
		"its release of 0.000 s did not succeed", "it was killed"},
	{"the one that waits is named, not one that stalled all the time", "D", bigLease +
		"c1 acquire 10 20 fail; c1 gap 25 gap=20; c2 acquire 1000 2010001000 fail", "",
		"although client 2 and others tried", ""},

	// Outages name the faults on servers and links that were under way.
	{"faults beside an outage", "A", once + "fault cut c2>n1 1 3; fault pause c2 8 1400000000; " +
		"fault kill n0 8 1400000000; c1 acquire 10 1300000000 info; " +
		"fault cut c2>n2 1500000000 1600000000", "", "(n0 was killed)", "link"},

	// Who left the key that a refusal found.
	{"written on another node", "R", nobodyStory, "0 1 12 15 n1 SETNX k a -> 1\n" + refusedR,
		"the key was left behind", "Cause"},
	{"a read that was never answered left nothing", "R", nobodyStory,
		nobodyTrace + "0 1 31 0 n0 GET k ->\n" + refusedR, "its \"GET k\" of 0.000 s was never answered",
		"never heard"},
	{"a script that frees left nothing", "R", grabs + nobodyStory,
		nobodyTrace + "0 1 31 0 n0 EVAL drop 1 k a ->\n" + refusedR, "was never answered",
		"never heard"},
	{"written and taken away", "R", nobodyStory, nobodyTrace + "0 1 31 35 n0 DEL k -> 1\n" + refusedR,
		"the key was left behind", "Cause"},
	{"another client's command was never answered", "R", nobodyStory,
		nobodyTrace + "2 1 31 0 n0 GET k ->\n" + refusedR, "did not take it away", "never answered"},
	{"a command on another node was never answered", "R", nobodyStory,
		nobodyTrace + "0 1 31 0 n1 DEL k ->\n" + refusedR, "did not take it away", "never answered"},
	{"an older command was never answered", "R", nobodyStory,
		"0 1 11 0 n0 DEL k ->\n" + nobodyTrace + refusedR, "did not take it away", "never answered"},
	{"a later command was never answered", "R", nobodyStory,
		nobodyTrace + refusedR + "0 1 60 0 n0 DEL k ->", "did not take it away", "never answered"},
	{"the release was refused, in Redis' own words", "R", nobodyStory,
		nobodyTrace + "0 1 31 35 n0 DEL k -> (error) NOPERM no\n" + refusedR,
		"its \"DEL k\" of 0.000 s was refused: NOPERM no.", "never answered"},
	{"all were answered", "R", nobodyStory, nobodyTrace + "0 1 31 35 n0 GET k -> a\n" + refusedR,
		"did not take it away", "never answered"},

	// A write that a fault may have kept away from its server left nothing.
	{"a write while nothing passed", "R", askedAgain + "fault cut c0>* 29 49",
		askedAgainTrace, "its \"DEL k\" of 0.000 s was never answered", "never heard"},
	{"a write while requests did not pass", "R", askedAgain + "fault cut c0>* 29 49 mode=requests",
		askedAgainTrace, "its \"DEL k\" of 0.000 s was never answered", "never heard"},
	{"a write while replies did not pass", "R", askedAgain + "fault cut c0>* 29 49 mode=replies",
		askedAgainTrace, "had sent \"SETNX k c\" to n0", "DEL"},
	{"a write that was answered while requests did not pass", "R", askedAgain +
		"fault cut c0>* 29 49 mode=requests", nobodyTrace + "0 1 31 0 n0 DEL k ->\n" +
		"0 2 43 45 n0 SETNX k c -> 1\n" + refusedR, "Cause: client 0 had written the key on n0", "DEL"},
	{"a read while nothing passed", "R", askedAgain + "fault cut c0>* 29 49", nobodyTrace +
		"0 2 43 0 n0 GET k ->\n" + refusedR, "its \"GET k\" of 0.000 s was never answered", ""},
	{"a write while nothing passed, and the lease of the one before went on", "R", askedAgain +
		"fault cut c0>* 29 49", "0 1 12 15 n0 SET k a NX PX 1 -> OK\n0 2 43 0 n0 SETNX k c ->\n" +
		refusedR, "Cause: client 0 had written the key", "never"},
	{"a write without a connection, which would have written over", "R", askedAgain +
		"fault refuse c0>* 1 2", nobodyTrace + "0 1 31 0 n0 DEL k ->\n" +
		"0 2 43 45 n0 SET k c -> !not-sent\n" + refusedR, "its \"DEL k\" of 0.000 s was never", ""},
	{"a write that was held back, and arrived", "R", askedAgain +
		"fault hold-back c0>* 29 49 mode=requests", askedAgainTrace, "had sent \"SETNX k c\" to n0", ""},
	{"a write that was still held back", "R", askedAgain +
		"fault hold-back c0>* 29 59 mode=requests", askedAgainTrace, "its \"DEL k\" of", "never heard"},
	{"a write whose client had no connection", "R", askedAgain + "fault refuse c0>* 1 2", nobodyTrace +
		"0 1 31 0 n0 DEL k ->\n0 2 43 45 n0 SETNX k c -> !not-sent\n" + refusedR,
		"its \"DEL k\" of 0.000 s was never answered", "never heard"},
	{"a write that may have arrived, and may have written over", "R", askedAgain +
		"fault cut c0>* 29 49", strings.ReplaceAll(askedAgainTrace, "SETNX k c", "SET k c"),
		"the key was left behind", "Cause"},
	{"a write that may have arrived, after the lease of the one before", "R",
		strings.Replace(askedAgain, "11 90", "11 1000090", 1) + "fault cut c0>* 29 49",
		"0 1 12 15 n0 SET k a NX PX 1 -> OK\n0 2 43 0 n0 SETNX k c ->\n" +
			"1 1 1000050 1000055 n0 SETNX k b -> 0\n", "the key was left behind", "Cause"},
	{"the first write, while nothing passed", "R", "names k; " + askedAgain + "fault cut c0>* 9 49",
		"0 2 43 0 n0 SETNX k c ->\n" + refusedR, "the key was left behind", "Cause"},
	{"a write while nothing passed, before the wait", "D", once + "c1 acquire 10 1500000000 fail; " +
		"fault cut c2>* 7 9; c2 acquire 8 9 fail", "0 1 2 3 n0 SETNX k a -> 1\n" +
		refusals(1, 1, 20, 15) + "2 1 8 0 n0 SETNX k c ->", "to write the key was client 0", "client 2"},
	{"a write while nothing passed, and nothing else was written", "D", once +
		"c1 acquire 10 1500000000 fail; fault cut c2>* 7 9; c2 acquire 8 9 fail",
		refusals(1, 1, 20, 15) + "2 1 8 0 n0 SETNX k c ->", "no client was granted", "to write the key"},
	{"a write while replies did not pass, before the wait", "D", once +
		"c1 acquire 10 1500000000 fail; fault cut c2>* 7 9 mode=replies; c2 acquire 8 9 fail",
		"0 1 2 3 n0 SETNX k a -> 1\n" + refusals(1, 1, 20, 15) + "2 1 8 0 n0 SETNX k c ->",
		"to write the key was client 2", ""},
	{"a lease that is counted from before a try that was refused", "V", early, earlyRefused +
		earlyGranted, "counted the lease from before a try that was refused at 0.000 s", ""},
	{"a lease that is counted early, in a call that may have been paused", "V", early, earlyGranted,
		"over when it was delivered", "counted the lease"},
	{"a lease that may begin after the try that was refused", "V", early, strings.Replace(
		earlyRefused, "81 82", "48 50", 1) + earlyGranted, "over when it was delivered",
		"counted the lease"},
	{"a late reply to a command that was sent in time", "V", early, earlyRefused + strings.Replace(
		earlyGranted, "201", "100", 1), "over when it was delivered", "counted the lease"},
	{"a refusal that came after the grant was asked for", "V", early, strings.Replace(earlyRefused,
		"81 82", "81 202", 1) + earlyGranted, "over when it was delivered", "counted the lease"},
}

// The validity of a grant is over at 100, and its lease was 100.
const (
	early        = "validity; names k; c0 acquire 1 300 sent=1 valid=100 lease=100; c0 release 310 311"
	earlyRefused = "0 1 81 82 n0 SET k a NX PX 9 -> (nil)\n"
	earlyGranted = "0 1 201 210 n0 SET k a NX PX 9 -> OK\n"
)

// Client 2 takes the key while client 0 deletes its own, and client 1 is refused later.
const (
	takenMeanwhile = leased + "c0 acquire 10 20 sent=12 lease=200000000; c0 release 50 60; " +
		"c2 acquire 51 60 sent=52 lease=200000000; c2 release 70 80; c1 acquire 200 210 fail"
	takenAtOnce = takes + "2 1 52 57 n0 SET k cccccccc NX PX 200 -> OK\n0 1 54 56 n0 DEL k -> 1\n" +
		"2 1 71 72 n0 DEL x -> 0\n"
	refusedLater = "1 1 202 203 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n"
)
