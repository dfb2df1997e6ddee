package resp

import (
	"bufio"
	"io"
	"net"
	"strings"
	"time"
)

// Unasked returns the error that a server sends before any command, such as "ERR max number of
// clients reached". It returns "" if none arrives within wait. A client of Redis loses these words,
// because it sends first and is cut off. Unasked closes the connection.
func Unasked(c net.Conn, wait time.Duration) string {
	defer c.Close()
	const longest = 200
	_ = c.SetReadDeadline(time.Now().Add(wait))
	line, err := bufio.NewReader(io.LimitReader(c, longest)).ReadString('\n')
	words, is := strings.CutPrefix(line, "-")
	if err != nil || !is {
		return ""
	}
	return strings.TrimSpace(words)
}
