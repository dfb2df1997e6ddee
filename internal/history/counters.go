package history

// Counters are what a server of the run's own says at the end of the run of the keys that went, if
// it was a master and ran all the time.
type Counters struct {
	Node    string `json:"node"`
	Evicted int64  `json:"evicted"` // keys, for want of memory
	Expired int64  `json:"expired"` // keys whose lease was over
	Deleted int64  `json:"deleted"` // calls of DEL and UNLINK, including calls by scripts
	Emptied int64  `json:"emptied"` // calls of FLUSHALL, FLUSHDB and SWAPDB
}

// Counters returns what the servers counted, or nil if that is not known.
func (h *History) Counters() []Counters {
	if !h.Complete() {
		return nil
	}
	return h.Events[len(h.Events)-1].Counters
}

func (c Counters) write(l *line) {
	l.begin()
	l.name("node")
	l.quote(c.Node)
	l.number("evicted", c.Evicted)
	l.number("expired", c.Expired)
	l.number("deleted", c.Deleted)
	l.number("emptied", c.Emptied)
	l.end()
}
