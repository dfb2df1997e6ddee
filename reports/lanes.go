package reports

import "slices"

// lanesFor returns the clients that get a lane: all, or those of the violations and the first
// others.
func lanesFor(r *View, ws []*witness) []int {
	if len(r.clients) <= maxLanes {
		return r.clients
	}
	var cs []int
	for _, p := range r.clients {
		if taking(ws, p) && len(cs) < maxLanes {
			cs = append(cs, p)
		}
	}
	for _, p := range r.clients {
		if len(cs) < maxLanes && !slices.Contains(cs, p) {
			cs = append(cs, p)
		}
	}
	return slices.Sorted(slices.Values(cs))
}
