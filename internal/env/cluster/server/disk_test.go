package server

import (
	"strings"
	"testing"
)

// TestADiskThatCannotBeWrittenIsToldOnce: the words of each system, and none that only sound alike.
func TestADiskThatCannotBeWrittenIsToldOnce(t *testing.T) {
	for line, want := range map[string]bool{
		"# Error writing to the AOF file: No space left on device":                   true,
		"# Short write while writing to the AOF file: (nwritten=85, expected=102)":   true,
		"# Write error saving DB on disk: No space left on device":                   true,
		"# Background saving error":                                                  true,
		"# Can't save in background: fork: Cannot allocate memory":                   true,
		`ERROR:  could not extend file "base/5/1249": No space left on device`:       true,
		`PANIC:  could not write to file "pg_wal/xlogtemp.7": Disk quota exceeded`:   true,
		`[ERROR] InnoDB: Write to file ./ib_logfile0 failed at offset 0`:             true,
		`{"level":"fatal","msg":"failed to save","error":"no space left on device"}`: true,
		`{"level":"warn","msg":"alarm raised","alarm":"NOSPACE"}`:                    true,
		"java.io.IOException: No space left on device":                               true,

		"* Background saving terminated with success":                      false,
		"# I/O error trying to sync with MASTER: connection lost":          false,
		"# Write error sending DB preamble to replica: Broken pipe":        false,
		"LOG:  could not send data to client: Broken pipe":                 false,
		"FATAL:  could not receive data from WAL stream: server closed":    false,
		"WARN EndOfStreamException: Unable to read additional data":        false,
		`{"level":"warn","msg":"lost TCP streaming connection with peer"}`: false,
	} {
		told := 0
		l, err := NewLife(NodeConfig{Name: "n0", Log: t.TempDir() + "/log",
			CannotWrite: func(string) { told++ }})
		if err != nil {
			t.Fatal(err)
		}
		l.Follow(strings.NewReader(line + "\n" + line + "\n"))
		l.End("exit status 1")
		if told == 1 != want || told > 1 {
			t.Errorf("%s: told %d times", line, told)
		}
	}
}
