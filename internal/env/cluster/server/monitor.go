package server

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/history"
)

// Monitor copies a node's command stream to a file until the connection ends. It returns when the
// node has confirmed it.
func Monitor(addr, file string) (io.Closer, error) {
	conn, err := net.DialTimeout("tcp", addr, AdminTimeout)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644) // a node may come back
	if err != nil {
		conn.Close()
		return nil, err
	}
	lines := bufio.NewScanner(conn)
	lines.Buffer(make([]byte, 64<<10), 16<<20)
	if _, err = io.WriteString(conn, "MONITOR\r\n"); err == nil && !lines.Scan() {
		err = fmt.Errorf("MONITOR: %w", io.ErrUnexpectedEOF)
	}
	if err != nil {
		conn.Close()
		out.Close()
		return nil, err
	}
	go func() {
		defer out.Close()
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		for lines.Scan() {
			_ = enc.Encode(history.NodeCommand{T: proc.Monotonic(), Line: strings.TrimPrefix(lines.Text(),
				"+")})
		}
	}()
	return conn, nil
}
