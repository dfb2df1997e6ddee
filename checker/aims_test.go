package checker

import (
	"strings"
	"testing"
)

// TestAFailoverIsTestedOnlyWhileItsHolderIsInside: after a failover that struck a hold, "valid"
// means something only if another client was answered by the new master before the holder left.
func TestAFailoverIsTestedOnlyWhileItsHolderIsInside(t *testing.T) {
	const (
		before = "requires strikes=1 failover; topology failover; names k; clienttimeout 30\n" +
			"c0 acquire 10 20; c1 acquire 15 36 info\n" +
			"fault kill n0 30 35 strike; fault promote n1 40 50\n"
		left    = "c0 release 100 110 info\n"
		granted = "c1 acquire 130 140 node=n1; c1 release 150 160; end 200"
	)
	seen := "\n0 1 11 19 n0 SET k a NX -> OK\n1 2 131 139 n1 SET k b NX -> OK"
	refused := func(line string) string { return line + seen }
	for name, c := range map[string]struct {
		calls, trace string
		want         Result
	}{
		"no client asked":                             {left, "", Unknown},
		"another was refused inside":                  {"c1 acquire 60 90 fail;" + left, "", Valid},
		"another was refused later":                   {"c1 acquire 95 120 fail;" + left, "", Unknown},
		"a call of unknown outcome":                   {"c1 acquire 80 95 info;" + left, "", Unknown},
		"a call lasted for as long as a client waits": {"c1 acquire 60 120 fail;" + left, "", Valid},
		"a call lasted, but before the new master":    {"c1 acquire 37 61 fail;" + left, "", Unknown},
		"the holder itself asked":                     {left + "c0 acquire 115 120 fail", "", Unknown},
		"its command was answered inside": {"c1 acquire 60 120 fail;" + left,
			refused("1 2 60 90 n1 SET k b NX -> (nil)"), Valid},
		"its command was answered later": {"c1 acquire 60 120 fail;" + left,
			refused("1 2 60 105 n1 SET k b NX -> (nil)"), Unknown},
		"its command broke": {"c1 acquire 60 120 fail;" + left,
			refused("1 2 60 90 n1 SET k b NX -> !EOF"), Unknown},
		"it asked another server": {"c1 acquire 60 120 fail;" + left,
			refused("1 2 60 90 n0 SET k b NX -> (nil)"), Unknown},
		"the holder was killed": {"c0 kill 60; c0 exit 61 planned", "", Valid},
	} {
		t.Run(name, func(t *testing.T) {
			h := story(t, before+c.calls+"\n"+granted)
			v := Check(h, commands(t, c.trace), Options{Properties: []string{MutualExclusion}})
			p := v.Property(MutualExclusion)
			if p.Verdict != c.want {
				t.Errorf("%s, not %s: %s", p.Verdict, c.want, p.Reason)
			}
			if c.want == Unknown && !strings.Contains(p.Reason, "no other client tried after the fault") {
				t.Errorf("it says %q", p.Reason)
			}
		})
	}
}
