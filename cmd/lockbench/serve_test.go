package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
)

// TestServe starts the server as a user does, asks it, and ends it as Ctrl-C does.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	code := make(chan int, 1)
	var stderr bytes.Buffer
	go func() {
		code <- Main(ctx, []string{"serve", "--store", dir, "--port", "0"}, in, &stderr)
		in.Close()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("it says nothing: %v; %s", err, stderr.String())
	}
	url, _, _ := strings.Cut(line, " ")
	if !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Fatalf("it says %q", line)
	}
	resp, err := http.Get(url)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("%v %v", resp, err)
	}
	cancel()
	if got := <-code; got != 0 || stderr.Len() > 0 {
		t.Errorf("ended with %d: %s", got, stderr.String())
	}
}

func TestServeSaysWhatIsWrong(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	taken := fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
	file := t.TempDir() + "/file"
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--store", t.TempDir(), "--port", taken}, "port " + taken +
			" is taken; name another with --port"},
		{[]string{"--store", t.TempDir() + "/nowhere", "--port", "0"}, "does not exist"},
		{[]string{"--store", file, "--port", "0"}, "cannot read the store"},
		{[]string{"--port", "70000"}, "--port is 70000"},
		{[]string{"--port", "x"}, `--port cannot be "x"; write a whole number`},
		{[]string{"store"}, "unknown command"},
	} {
		var out, stderr bytes.Buffer
		if code := Main(t.Context(), append([]string{"serve"}, c.args...), &out, &stderr); code !=
			exitUsage || !strings.Contains(stderr.String(), c.want) ||
			strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%q: %d %q", c.args, code, stderr.String())
		}
	}
}
