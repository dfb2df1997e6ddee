package checker

import (
	"fmt"

	"github.com/lockbench/lockbench/internal/history"
)

// gaveUp is the reply to a command whose client has given it up.
const gaveUp = "timed out"

// call sends a command, and passes its reply to then when it has come and the client runs. The
// server executes it by do. A client with a time-out gives the command up then.
func (w *renewals) call(c, n int, sent int64, args []string, do func(t int64) (string, [][]string),
	then func(reply string, t int64)) {
	at := len(w.commands)
	w.commands = append(w.commands, history.Command{Process: c, Seq: at + 1, N: n, Node: "n0",
		Sent: sent, Args: args})
	arrives := max(sent+w.some(0, 1)+w.r.Int64N(w.slowest), w.arrived[c]+1)
	w.arrived[c] = arrives
	w.at(w.runs("n0", arrives), func(t int64) {
		reply, effects := do(t)
		w.client(c, t+1+w.r.Int64N(w.slowest), func(t int64) {
			m := &w.commands[at]
			if m.Effects = effects; m.Err == "" {
				m.Recv, m.Reply = t, reply
				then(reply, t+1)
			}
		})
	})
	if w.timeout > 0 {
		w.client(c, sent+w.timeout, func(t int64) {
			if m := &w.commands[at]; m.Recv == 0 {
				m.Err, m.Why = gaveUp, history.TimedOut
				then(gaveUp, t+1)
			}
		})
	}
}

// there returns the value of the key.
func (w *renewals) there(t int64) string {
	if t >= w.end {
		w.owner = ""
	}
	return w.owner
}

// acquire lets a client try until it is granted the lock, n times in all.
func (w *renewals) acquire(c, n int, t int64) {
	w.event(history.Event{Type: history.Invoke, F: history.Acquire, T: t, Process: c, N: n,
		Key: new(int)})
	w.try(c, n, t+1)
}

func (w *renewals) try(c, n int, sent int64) {
	mine := fmt.Sprintf("value-%d-%d", c, n)
	w.call(c, n, sent, []string{"SET", "k", mine, "NX", "PX", "1000"},
		func(t int64) (string, [][]string) {
			if w.there(t) != "" {
				return "(nil)", nil
			}
			w.owner, w.end = mine, t+lease
			return "OK", nil
		}, func(reply string, t int64) {
			if reply == gaveUp {
				w.event(history.Event{Type: history.Info, F: history.Acquire, T: t, Process: c, N: n,
					Key: new(int)})
				w.again(c, n, t)
				return
			}
			if reply != "OK" {
				w.client(c, t+w.some(20, 60), func(t int64) { w.try(c, n, t) })
				return
			}
			w.event(history.Event{Type: history.OK, F: history.Acquire, T: t, Process: c, N: n,
				Key:   new(int),
				Grant: &history.Grant{Sent: sent, Lease: history.Duration(lease), Node: "n0"}})
			over := false
			w.watch(c, n, t, mine, &over)
			w.client(c, t+w.some(50, 2500), func(t int64) { over = true; w.release(c, n, t, mine) })
		})
}

// watch renews a hold each third of the lease, until it is over.
func (w *renewals) watch(c, n int, t int64, mine string, over *bool) {
	w.client(c, t+lease/3, func(sent int64) {
		if *over {
			return
		}
		args := map[renewal][]string{byCommand: {"PEXPIRE", "k", "1000"},
			ifWatched: {"SET", "k", mine, "XX", "PX", "1000"}}[w.way]
		if args == nil {
			args = []string{"EVAL", "keep", "1", "k", mine, "1000"}
		}
		w.call(c, n, sent, args, func(t int64) (string, [][]string) { return w.renew(t, mine) },
			func(reply string, t int64) {
				if (reply == "1" || reply == "OK") && !*over {
					w.event(history.Event{Type: history.Extend, T: t, Process: c, N: n,
						Key:   new(int),
						Grant: &history.Grant{Sent: sent, Lease: history.Duration(lease), Node: "n0"}})
				}
			})
		w.watch(c, n, sent, mine, over)
	})
}

// renew executes a renewal.
func (w *renewals) renew(t int64, mine string) (reply string, effects [][]string) {
	is := w.there(t)
	renewed := is == mine || w.way.blind() && is != ""
	if renewed {
		w.foreign, w.end = w.foreign || is != mine, t+lease
	}
	if w.way == ifWatched {
		return map[bool]string{true: "OK", false: "(nil)"}[renewed], nil
	}
	if w.way == ifOwner {
		effects = [][]string{{"get", "k"}}
	}
	if w.way == byScript || w.way == ifOwner && renewed {
		effects = append(effects, []string{"pexpire", "k", "1000"})
	}
	return map[bool]string{true: "1", false: "0"}[renewed], effects
}

func (w *renewals) release(c, n int, t int64, mine string) {
	w.event(history.Event{Type: history.Invoke, F: history.Release, T: t, Process: c, N: n,
		Key: new(int)})
	w.call(c, n, t+1, []string{"EVAL", "free", "1", "k", mine}, func(t int64) (string, [][]string) {
		if w.there(t) != mine {
			return "0", [][]string{{"get", "k"}}
		}
		w.owner = ""
		return "1", [][]string{{"get", "k"}, {"del", "k"}}
	}, func(reply string, t int64) {
		is := map[string]history.Type{"1": history.OK, "0": history.Fail,
			gaveUp: history.Info}[reply]
		w.event(history.Event{Type: is, F: history.Release, T: t, Process: c, N: n, Key: new(int)})
		w.again(c, n, t)
	})
}

// again lets a client acquire the lock once more, four times in all.
func (w *renewals) again(c, n int, t int64) {
	if n < 4 {
		w.client(c, t+w.some(1, 200), func(t int64) { w.acquire(c, n+1, t) })
	}
}
