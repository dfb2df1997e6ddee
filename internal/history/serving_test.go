package history

import (
	"strings"
	"testing"
)

func TestWhichErrorsSayThatAServerDoesNotServe(t *testing.T) {
	for reply, want := range map[string]bool{
		"READONLY You can't write against a read only replica.": true,
		"(error) READONLY": true,
		"LOADING Redis is loading the dataset in memory":                                    true,
		"MASTERDOWN Link with MASTER is down":                                               true,
		"CLUSTERDOWN The cluster is down":                                                   true,
		"NOREPLICAS Not enough good replicas to write.":                                     true,
		"OOM command not allowed when used memory > 'max'.":                                 true,
		"MISCONF Redis is configured to save RDB snapshots":                                 true,
		"BUSY Redis is busy running a script.":                                              true,
		"NOAUTH Authentication required.":                                                   true,
		"NOPERM this user has no permissions to run 'set'":                                  true,
		"MOVED 3999 127.0.0.1:6381":                                                         true,
		"ASK 3999 127.0.0.1:6381":                                                           true,
		"TRYAGAIN Multiple keys request during rehashing":                                   true,
		"ERR max number of clients reached":                                                 true,
		"ERR Error running script (call to f_1): @user_script:1: -READONLY You can't write": true,
		// errors of the command itself
		"NOSCRIPT No matching script. Please use EVAL.":             false,
		"WRONGTYPE Operation against a key holding the wrong kind":  false,
		"ERR unknown command 'DELEX', with args beginning with: ":   false,
		"ERR Error running script (call to f_1): @user_script:1: x": false,
		"BUSYGROUP Consumer Group name already exists":              false,
		"CROSSSLOT Keys in request don't hash to the same slot":     false,
		"ERR max": false,
	} {
		if NotServing(reply) != want {
			t.Errorf("%q: %v", reply, !want)
		}
	}
}

// TestWhichErrorsComeInsteadOfACommand: what a script's command got may come after a write.
func TestWhichErrorsComeInsteadOfACommand(t *testing.T) {
	for reply, want := range map[string][2]bool{ // not executed; the server refuses
		"OOM command not allowed":                             {true, true},
		"MISCONF Redis is configured to save":                 {true, true},
		"MOVED 3999 127.0.0.1:6381":                           {true, false},
		"NOSCRIPT No matching script.":                        {true, false},
		"WRONGTYPE Operation against a key":                   {true, false},
		"CROSSSLOT Keys in request":                           {true, false},
		"ERR unknown command":                                 {false, false},
		"WRONGTYPE Operation script: 3ae, on @user_script:1.": {false, false},
		"NOSCRIPT No matching script: 3ae":                    {true, false},
		"ERR Error running script: 1: -OOM command":           {false, true},
	} {
		if got := [2]bool{NotExecuted(reply), Refuses(reply)}; got != want {
			t.Errorf("%q: %v", reply, got)
		}
	}
}

// TestWhichScriptsHaveWrittenNothing: an error that a command of a script got may come after others
// of its commands have written.
func TestWhichScriptsHaveWrittenNothing(t *testing.T) {
	for reply, want := range map[string]bool{
		"(error) WRONGTYPE Operation script: 3ae, on @user_script:1.": false,
		"(error) OOM command not allowed":                             false,
		"(error) ERR Error running script: 1: -OOM command":           false,
		"(error) NOSCRIPT No matching script.":                        true,
		"(error) READONLY You can't write against a read only":        true,
	} {
		if ScriptNotExecuted(reply) != want {
			t.Errorf("%q: %v", reply, !want)
		}
	}
}

// TestErrorAfterWrite: an error from inside a script may come after a write, and one that Redis
// gives instead of running it comes before.
func TestErrorAfterWrite(t *testing.T) {
	for _, c := range []struct {
		command, reply string
		want           bool
	}{
		{"EVAL", "(error) WRONGTYPE Operation", true},
		{"evalsha", "(error) ERR user_script:1: x", true},
		{"FCALL", "(error) OOM command not allowed", true},
		{"EVALSHA", "(error) NOSCRIPT No matching script.", false},
		{"EVAL", "(error) READONLY You can't write", false},
		{"EVAL", "1", false},
		{"HSET", "(error) WRONGTYPE Operation", false},
		{"", "(error) WRONGTYPE Operation", false},
	} {
		if got := ErrorAfterWrite(strings.Fields(c.command), c.reply); got != c.want {
			t.Errorf("%s, %s: %v", c.command, c.reply, got)
		}
	}
}
