package explain

import "testing"

func TestSay(t *testing.T) {
	if got := Say("100%"); got != "100%" {
		t.Errorf("without arguments: %q", got)
	}
	defer Translate(Pseudo)()
	if got := Say("Client %d had %.3f s of %q%%.", 3, 1.5, "x"); got !=
		`Pyvrag 3 unq 1.500 f bs "x"%.` {
		t.Errorf("%q", got)
	}
}

func TestBrief(t *testing.T) {
	for ns, want := range map[int64]string{5: "5 ns", 340_400: "340 µs", 3_240_000: "3.2 ms",
		178_400_000: "178 ms", 1_239_000_000: "1.24 s"} {
		if got := Brief(ns); got != want {
			t.Errorf("%d: %s, want %s", ns, got, want)
		}
	}
}
