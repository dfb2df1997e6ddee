package workloads

import (
	"context"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// Before stops at a breakpoint for a command that is about to leave for a node. With Sent and
// Replied it is what each command of the client goes through: the client's own hook calls them, or
// a tap before a client that has none.
func (w *Worker) Before(ctx context.Context, node string, args []string) {
	w.stopAtCommand(ctx, nemesis.Before, w.aboutToSend(node, args), history.Command{})
}

// Sent records that a command leaves for a node, and returns it with its number and stamp.
func (w *Worker) Sent(ctx context.Context, node string, args []string) history.Command {
	c := w.sent(w.aboutToSend(node, args))
	w.meanings.sent(c)
	w.stopAtCommand(ctx, nemesis.JustSent, c, history.Command{})
	if w.opening.CompareAndSwap(true, false) {
		w.pass(nemesis.Sent, *w.hold.Load())
	}
	return c
}

func (w *Worker) aboutToSend(node string, args []string) history.Command {
	return history.Command{Process: w.cfg.Process, N: w.current(), Node: node, Args: args}
}

// Replied records the end of a command that Sent returned: its reply, or the error and why there is
// none. Then it stops at a breakpoint. Unsure: the command may have had an effect or not.
func (w *Worker) Replied(ctx context.Context, sent, done history.Command, unsure bool) {
	done.Process, done.Seq, done.N = sent.Process, sent.Seq, sent.N
	done.Recv = int64(w.env.Elapsed())
	if unsure {
		w.unsure.Store(true)
	}
	w.report(Report{Command: &done})
	w.meanings.replied(sent, done)
	w.stopAtCommand(ctx, nemesis.After, sent, done)
	w.meanings.forget(sent)
}
