package checker

import "testing"

// TestAClockThatStood: a grant that its client got too late has the clock as its assumption only if
// its machine was suspended meanwhile. It is the lock's defect: a clock that goes on tells it.
func TestAClockThatStood(t *testing.T) {
	const late = "environment process; lease; names k; c0 acquire 10 400 sent=12 lease=200; " +
		"c1 acquire 220 240 sent=230 lease=2000; c0 release 500 510; c1 release 600 610; "
	const trace = "0 1 12 395 n0 SET k aaaaaaaa NX PX 0.0002 -> OK\n" +
		"1 1 230 235 n0 SET k bbbbbbbb NX PX 0.002 -> OK\n"
	for fault, assumption := range map[string]string{
		"":                        "",
		"fault suspend c0 14 390": "client clock",
		"fault suspend c0 14 15":  "",
		"fault suspend c1 14 390": "",
		"fault suspend c0 4 8":    "",
		"fault pause c0 14 390":   "",
	} {
		v := Check(story(t, late+fault), commands(t, trace), Options{Properties: []string{"S"}})
		p := v.Properties[0]
		if p.Class != LateMessage || p.Assumption != assumption || !v.IsDefect(p, false) {
			t.Errorf("%q: %s, %s, %q", fault, p.Verdict, p.Class, p.Assumption)
		}
	}
}
