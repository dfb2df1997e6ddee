package record

import "testing"

// TestShortenLease shortens the lease of a grant. An extension keeps its own, even one of the same
// length.
func TestShortenLease(t *testing.T) {
	for name, c := range map[string]struct{ sent, believed int64 }{
		"as granted":             {10, 10 + 80},
		"extended by its length": {50, 50 + 100},
	} {
		h := Hold{Granting: 10, Granted: 100, Sent: c.sent, Length: 100, Valid: Forever,
			Leases: []Lease{{To: 110}}}
		h.ShortenLease(80, 90)
		if got := h.BelievedEnd(); got != c.believed || h.Granted != 80 || h.Leases[0].To != 90 {
			t.Errorf("%s: believed until %d, want %d; granted %d until %d", name, got, c.believed,
				h.Granted, h.Leases[0].To)
		}
	}
}
