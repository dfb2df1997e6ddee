// Package worker is the program that plays one client of an environment of real processes: it
// speaks the worker protocol of docs/formats.md on its standard input and output.
package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/workloads"
)

// marker marks a process as a worker. The same binary plays both parts, so that nothing else has
// to be installed.
const marker = "LOCKBENCH_PLAY"

// Env is the environment of a worker.
func Env() []string { return []string{marker + "=worker", "GOMAXPROCS=1"} }

// A process that was started to play clients does it here and ends. So any program that contains
// this package can be a worker. Most of the program is initialised before: Go initialises packages
// in the order of their paths, each after its imports, and packages that import net come late. That
// costs some milliseconds of processor time, a reason to keep a worker for the next run.
func init() {
	if os.Getenv(marker) != "worker" {
		return
	}
	code := make(chan int)
	// not here: a goroutine that initialises is bound to its thread, which makes it slow
	out := os.NewFile(1, "stdout") // os.Stdout may be another: the SDK of adapters takes it away
	go func() { code <- Main(os.Stdin, out) }()
	os.Exit(<-code)
}

// Main plays clients by the protocol of docs/formats.md, one after the other, until its input ends.
// It returns the exit code.
func Main(in io.Reader, out io.Writer) int {
	workloads.Silence()
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	p := player{orders: json.NewDecoder(bufio.NewReader(in)), report: func(r workloads.Report) {
		if enc.Encode(r) != nil {
			os.Exit(exitAlone)
		}
	}}
	if err := p.play(); err != nil {
		p.report(workloads.Report{Failed: err.Error()})
		return 1
	}
	return 0
}

// exitAlone is the exit code of a worker whose harness is gone.
const exitAlone = 3

// Dialer returns a function that connects to nodes within a time-out, or without one if it is 0. It
// sends them the secret, if any, and limits their replies to the bounds of resp, since a node may
// belong to a stranger.
func Dialer(timeout time.Duration, secret string) workloads.Dial {
	d := net.Dialer{Timeout: timeout}
	return func(ctx context.Context, address string) (net.Conn, error) {
		c, err := d.DialContext(ctx, "tcp", address)
		if err != nil {
			return nil, err
		}
		if _, err := io.WriteString(c, secret); err != nil {
			c.Close()
			return nil, err
		}
		return resp.Bounded(c), nil
	}
}

// player plays one client after the other.
type player struct {
	orders *json.Decoder
	report func(workloads.Report)
}

// play plays clients until the input ends. Between two of them the process is as it was before the
// first, or play returns an error.
func (p *player) play() error {
	alone := runtime.NumGoroutine()
	for {
		reset, err := p.client()
		if err != nil || !reset {
			return err
		}
		if err := cleared(alone); err != nil {
			fmt.Fprintln(os.Stderr, err) // the run is over, and reads no report but the next
			return err
		}
		p.report(workloads.Report{Reset: true})
	}
}

// client plays one client until the worker is reset or the input ends.
func (p *player) client() (reset bool, err error) {
	life, end := context.WithCancel(context.Background())
	defer end()
	var over atomic.Bool
	w, reset, err := p.configured(life, func(r workloads.Report) {
		if over.Load() { // it would be taken for a report of the next client
			fmt.Fprintf(os.Stderr, "a client that has ended reports %+v\n", r)
			os.Exit(exitUnclean)
		}
		p.report(r)
	})
	if err != nil || w == nil {
		return reset, err
	}
	if err := w.Connect(); err != nil {
		return false, err
	}
	var busy sync.WaitGroup
	busy.Go(w.Run)
	busy.Go(w.Watch)
	if reset, err = p.handle(w); reset {
		end()
		w.Disconnect() // what waits for a reply would keep its goroutine until its time-out
		busy.Wait()
		w.Close()
		over.Store(true)
	}
	return reset, err
}

// exitUnclean is the exit code of a worker that still has goroutines of an earlier client.
const exitUnclean = 4

// handle passes orders on until the worker is reset or the input ends.
func (p *player) handle(w *workloads.Worker) (reset bool, err error) {
	for {
		var o workloads.Order
		if p.orders.Decode(&o) != nil {
			return false, nil // the harness has closed our input, or is gone
		}
		if o.Do == workloads.DoReset {
			return true, nil
		}
		if err := w.Handle(o); err != nil {
			return false, err
		}
	}
}

// configured makes the worker that the config describes. There is none if the input ends before
// it, or if reset comes instead: the run broke off.
func (p *player) configured(life context.Context, report func(workloads.Report)) (
	w *workloads.Worker, reset bool, err error) {
	o, err := p.first()
	switch {
	case err == io.EOF:
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("the first order: %w", err)
	case o.Do == workloads.DoReset:
		return nil, true, nil
	case o.Do != workloads.DoConfig || o.Config == nil:
		return nil, false, fmt.Errorf("the first order is %q; it must be %q", o.Do, workloads.DoConfig)
	}
	env := workloads.NewEnv(life, o.Config.Seed, func() time.Duration {
		return time.Duration(proc.Monotonic())
	})
	dial := Dialer(o.Config.ClientTimeout.D(), o.Config.Secret)
	w, err = workloads.NewWorker(life, *o.Config, env, dial, report)
	return w, false, err
}

// first returns the first order to a client. The client does not need to know where its errors go.
func (p *player) first() (workloads.Order, error) {
	for {
		var o workloads.Order
		err := p.orders.Decode(&o)
		if err == nil && o.Do == workloads.DoLog {
			if err = proc.LogTo(o.Body); err == nil {
				continue
			}
		}
		return o, err
	}
}

// clearTimeout bounds the wait for the goroutines of a client that has ended.
const clearTimeout = 200 * time.Millisecond

// cleared waits until there are as few goroutines as before the first client. What is left could
// act in the next run; the error has the stacks of what there is.
func cleared(alone int) error {
	for end := time.Now().Add(clearTimeout); runtime.NumGoroutine() > alone; {
		if time.Now().After(end) {
			stacks := make([]byte, 64<<10)
			return fmt.Errorf("%d goroutines are left of a client that has ended:\n%s",
				runtime.NumGoroutine()-alone, stacks[:runtime.Stack(stacks, true)])
		}
		time.Sleep(time.Millisecond / 4)
	}
	return nil
}
