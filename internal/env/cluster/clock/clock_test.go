package clock

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestAFileIsWrittenInPlace wants the offset in the very file that a server has mapped.
func TestAFileIsWrittenInPlace(t *testing.T) {
	c, err := New(t.TempDir(), "n0")
	if err != nil {
		t.Fatal(err)
	}
	mapped, err := os.Open(c.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer mapped.Close()
	for _, offset := range []time.Duration{0, time.Hour, -time.Nanosecond} {
		if err := c.Set(offset); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 9)
		n, _ := mapped.ReadAt(b, 0)
		if n != 8 || time.Duration(binary.NativeEndian.Uint64(b)) != offset {
			t.Errorf("the file holds %v; want %v", b[:n], offset)
		}
	}
}

// TestAFileOfLibfaketimeIsReplaced wants the old file whole for a server that reads it.
func TestAFileOfLibfaketimeIsReplaced(t *testing.T) {
	c := &Server{Path: filepath.Join(t.TempDir(), "n0.clock"), Faketime: true}
	for offset, text := range map[time.Duration]string{0: "+0.000000000\n",
		-90 * time.Minute: "-5400.000000000\n"} {
		if err := c.Set(offset); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(c.Path); string(b) != text {
			t.Errorf("for %v the file says %q, %v", offset, b, err)
		}
	}
}

func TestARemoteClockHasNoFileHere(t *testing.T) {
	var set time.Duration
	c := &Server{Path: "/nowhere/n0.clock", Remote: func(d time.Duration) error {
		set = d
		return nil
	}}
	if err := c.Set(time.Second); err != nil || set != time.Second {
		t.Errorf("the clock was set to %v, %v", set, err)
	}
}

// TestAClockIsStoppedAndGoesOn: the second word says where it stands, and a move takes it away.
func TestAClockIsStoppedAndGoesOn(t *testing.T) {
	c, err := New(t.TempDir(), "n0")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Set(time.Hour); err != nil {
		t.Fatal(err)
	}
	before := time.Now().Add(time.Hour)
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(c.Path)
	if len(b) != 16 {
		t.Fatalf("the file holds %v", b)
	}
	at := time.Unix(0, int64(binary.NativeEndian.Uint64(b[8:])))
	if at.Before(before) || at.After(time.Now().Add(time.Hour)) {
		t.Errorf("it stands at %v, an hour ahead of %v", at, before)
	}
	if err := c.Set(0); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(c.Path); len(b) != 8 {
		t.Errorf("after a move the file holds %v", b)
	}
	if err := (&Server{Path: c.Path, Faketime: true}).Stop(); err == nil {
		t.Error("libfaketime cannot stop a clock, and was told to")
	}
}
