package record

// Pair is two overlapping holds of one key under one rule: the evidence of a violation of mutual
// exclusion.
type Pair struct {
	Rule         ExclusionRule
	Key          int
	A, B         *Hold // A was granted first
	SpanA, SpanB Span
	From, To     int64 // both were surely inside

	// the servers that had granted each one, of several that know nothing of each other
	VotesA, VotesB []string

	Token string // of both clients, so that one passed for the other; "" if none
}

// Pair returns the pair of two spans of a key, if b begins inside a, with their holds.
func (r *Record) Pair(rule ExclusionRule, key int, a, b Span) *Pair {
	return &Pair{Rule: rule, Key: key, A: &r.Holds[a.Hold], B: &r.Holds[b.Hold], SpanA: a, SpanB: b,
		From: b.From, To: min(a.End, b.End)}
}
