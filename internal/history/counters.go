package history

// Counters are a server's own numbers of removed keys, read at the end of the run. They exist only
// for a server of the run that was a master and ran all the time.
type Counters struct {
	Node    string `json:"node"`
	Evicted int64  `json:"evicted"` // keys, for lack of memory
	Expired int64  `json:"expired"` // keys whose lease was over
	Deleted int64  `json:"deleted"` // calls of DEL and UNLINK, including calls by scripts
	Emptied int64  `json:"emptied"` // calls of FLUSHALL, FLUSHDB and SWAPDB
}

// Counters returns the numbers of the servers, or nil if they are unknown.
func (h *History) Counters() []Counters {
	if !h.Complete() {
		return nil
	}
	return h.Events[len(h.Events)-1].Counters
}
