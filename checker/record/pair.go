package record

// Pair is two holds of one key that overlap, as one rule has it: what a violation of mutual
// exclusion is made of.
type Pair struct {
	Rule         ExclusionRule
	Key          int
	A, B         *Hold // A was granted first
	SpanA, SpanB Span
	From, To     int64 // both were surely inside
}

// Pair returns two spans of a key, of which b begins inside of a, with their holds.
func (r *Record) Pair(rule ExclusionRule, key int, a, b Span) *Pair {
	return &Pair{rule, key, &r.Holds[a.Hold], &r.Holds[b.Hold], a, b, b.From, min(a.End, b.End)}
}
