// Package worker is the program that plays one client of an environment of real processes: it
// speaks the worker protocol of docs/formats.md on its standard input and output.
package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"time"

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

// Dialer returns a function that connects to nodes. It sends them the secret, if any, and limits
// their replies to the bounds of resp, since a node may belong to a stranger.
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
