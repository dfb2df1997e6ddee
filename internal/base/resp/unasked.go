package resp

import (
	"bufio"
	"io"
	"net"
	"strings"
	"time"
)

// Unasked returns the error that a server says of itself before it is asked, as a Redis does that
// takes no more connections: "ERR max number of clients reached". It is "" if the server says none
// within wait. A client of Redis loses these words, because it asks first and is cut off. Unasked
// closes the connection.
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
