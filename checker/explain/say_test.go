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
