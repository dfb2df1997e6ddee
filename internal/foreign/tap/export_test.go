package tap

import (
	"fmt"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/sim/engine"
)

// Serve is a Redis of the simulator behind a real listener.
func Serve(t *testing.T) (address string) { return Shown(t, nil) }

// Shown is Serve; monitor, if any, is told of what the server does.
func Shown(t *testing.T, monitor func(line string)) (address string) {
	var mu sync.Mutex
	e := engine.New()
	var effects [][]string // of the latest command
	e.Effects = &effects
	return testenv.Listen(t, func(c net.Conn) {
		mu.Lock()
		s := e.Open(func(b []byte) { _, _ = c.Write(b) })
		mu.Unlock()
		for r := resp.NewReader(c); ; {
			args, _, err := r.Command()
			mu.Lock()
			if err != nil {
				e.Close(s)
				mu.Unlock()
				return
			}
			effects = nil
			reply := e.Do(time.Now().UnixMicro(), s, args)
			if monitor != nil {
				monitor(shown("client", args))
				for _, words := range effects {
					monitor(shown("lua", words))
				}
			}
			if s.Blocked != nil { // it has no replicas
				s.Blocked, reply = nil, engine.Number(0)
			}
			_, _ = c.Write(reply)
			mu.Unlock()
		}
	})
}

// shown returns the line of MONITOR for a command.
func shown(from string, args []string) string {
	line := fmt.Appendf(nil, "%d.000000 [0 %s]", time.Now().Unix(), from)
	for _, a := range args {
		line = strconv.AppendQuoteToASCII(append(line, ' '), a)
	}
	return string(line)
}
