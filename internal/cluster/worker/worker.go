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
	"time"

	"github.com/lockbench/lockbench/internal/cluster/proc"
	"github.com/lockbench/lockbench/internal/resp"
	"github.com/lockbench/lockbench/workloads"
)

// marker marks a process as a worker. The same binary plays both parts, so that nothing else has
// to be installed.
const marker = "LOCKBENCH_PLAY"

// Env is the environment of a worker.
func Env() []string { return []string{marker + "=worker", "GOMAXPROCS=1"} }

// A process that was started to play a client does it here and ends: any program that has this
// package can be a worker. Go initialises packages in the order of their paths as soon as what they
// import is ready, so that a client does not wait for those of Docker, plots and metrics, which a
// worker has no use for and which take longer than its own start.
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

// Main plays a client by the protocol of docs/formats.md until its input ends. It returns the
// exit code.
func Main(in io.Reader, out io.Writer) int {
	workloads.Quiet()
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	report := func(r workloads.Report) {
		if enc.Encode(r) != nil {
			os.Exit(3) // the harness is gone
		}
	}
	life, end := context.WithCancel(context.Background())
	defer end()
	if err := play(life, in, report); err != nil {
		report(workloads.Report{Failed: err.Error()})
		return 1
	}
	return 0
}

// play reads orders until the input ends.
func play(life context.Context, in io.Reader, report func(workloads.Report)) error {
	orders := json.NewDecoder(bufio.NewReader(in))
	w, err := configured(life, orders, report)
	if err != nil || w == nil {
		return err
	}
	if err := w.Connect(); err != nil {
		return err
	}
	go w.Run()
	go w.Watch()
	for {
		var o workloads.Order
		if err := orders.Decode(&o); err != nil {
			return nil // the harness has closed our input, or is gone
		}
		if err := w.Handle(o); err != nil {
			return err
		}
	}
}

// configured makes the worker that the first order describes; nil if the input ends before it.
func configured(life context.Context, orders *json.Decoder, report func(workloads.Report)) (
	*workloads.Worker, error) {
	var o workloads.Order
	if err := orders.Decode(&o); err == io.EOF {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("the first order: %w", err)
	}
	if o.Do != workloads.DoConfig || o.Config == nil {
		return nil, fmt.Errorf("the first order is %q; it must be %q", o.Do, workloads.DoConfig)
	}
	env := workloads.NewEnv(life, o.Config.Seed, func() time.Duration {
		return time.Duration(proc.Monotonic())
	})
	dial := Dialer(o.Config.ClientTimeout.D(), o.Config.Secret)
	return workloads.NewWorker(life, *o.Config, env, dial, report)
}

// Dialer connects to nodes: it says the secret that they ask for, if any, and keeps what they
// answer within the bounds of resp, since they may be those of a stranger.
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
