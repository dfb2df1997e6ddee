package checker

import "testing"

// TestASuspendedMachineIsNoDefect: a grant that its client got too late is a defect of the lock,
// unless its machine was suspended meanwhile.
func TestASuspendedMachineIsNoDefect(t *testing.T) {
	const late = "environment process; lease; names k; c0 acquire 10 400 sent=12 lease=200; " +
		"c1 acquire 220 240 sent=230 lease=2000; c0 release 500 510; c1 release 600 610; "
	const trace = "0 1 12 395 n0 SET k aaaaaaaa NX PX 0.0002 -> OK\n" +
		"1 1 230 235 n0 SET k bbbbbbbb NX PX 0.002 -> OK\n"
	for _, c := range []struct {
		fault  string
		defect bool
	}{
		{"", true},
		{"fault suspend c0 14 390", false},
		{"fault suspend c1 14 390", true},
		{"fault suspend c0 4 8", true},
		{"fault pause c0 14 390", true},
	} {
		v := Check(story(t, late+c.fault), commands(t, trace), Options{Properties: []string{"S"}})
		p := v.Properties[0]
		if p.Class != LateMessage || v.IsDefect(p, false) != c.defect {
			t.Errorf("%q: %s, %s, %q, outside %q", c.fault, p.Verdict, p.Class, p.Assumption, p.Outside())
		}
	}
}

// TestAPromiseOfASuspendedMachine: a grant whose validity is told by a clock that may have stood is
// not promised too long.
func TestAPromiseOfASuspendedMachine(t *testing.T) {
	const told = "environment process; lease; validity; names k; c0 acquire 10 100000400 sent=12 " +
		"lease=200000000 valid=200000400; c0 release 100000500 100000510; "
	for fault, want := range map[string]Result{"": Violated,
		"fault suspend c0 14 100000390": Valid, // its clock is 100 ms behind
		"fault suspend c0 14 50000000":  Violated,
		"fault suspend c0 4 8":          Violated,
		"fault suspend c1 14 100000390": Violated,
	} {
		v := Check(story(t, told+fault), commands(t,
			"0 1 12 100000395 n0 SET k aaaaaaaa NX PX 120 -> OK\n"), Options{Properties: []string{"V"}})
		if p := v.Properties[0]; p.Verdict != want {
			t.Errorf("%q: %s, want %s: %s%s", fault, p.Verdict, want, p.Explanation, p.Reason)
		}
	}
}
