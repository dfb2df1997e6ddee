package checker

// take is what the server does with an acquire.
func (w *site) take(p, n int, keys []int) string {
	for _, k := range keys {
		s := &w.locks[k]
		if s.owner >= 0 && w.ttl > 0 && w.now >= s.expiry && !w.facts.stuck {
			s.owner = -1
		}
		if s.owner < 0 || s.owner == p && s.count > 0 && w.nest && w.mistake != refusesHolder ||
			w.mistake == takesSome && len(keys) > 1 && k == keys[1] {
			continue
		}
		if s.owner == p && w.nest {
			w.facts.refused++
		} else if !w.present(s, k) {
			w.facts.orphaned = append(w.facts.orphaned, w.now)
		}
		return "(nil)"
	}
	for _, k := range keys {
		s := &w.locks[k]
		if s.owner == p && w.nest {
			s.count++
		} else {
			*s = slot{owner: p, n: n, count: 1}
		}
		s.expiry = w.now + w.ttl
	}
	if w.mistake == getsStuck && w.now > w.until*w.unit/4 {
		w.facts.stuck = true
	}
	return "OK"
}

// present reports whether the owner of a key is coming, inside or leaving.
func (w *site) present(s *slot, key int) bool {
	if w.calling[s.owner] && w.n[s.owner] == s.n {
		return true
	}
	for _, x := range w.stays {
		if x.process == s.owner && x.n == s.n && x.key == key {
			return x.gone > w.now
		}
	}
	return false
}

// free is what the server does with a release: it replies 1 if it deleted the key.
func (w *site) free(command, p, n int, keys []int) string {
	reply := "(nil)"
	for _, k := range keys {
		s := &w.locks[k]
		theirs := s.owner != p || !w.nest && s.n != n
		switch {
		case s.owner < 0 || w.ttl > 0 && w.now >= s.expiry || w.facts.stuck:
		case theirs && w.mistake != deletesBlindly && !(w.mistake == knowsClients && s.owner == p):
		case s.owner == p && s.count > 1 && w.mistake != freesAtInner:
			s.count--
			reply = "0"
		default:
			if theirs {
				w.facts.robbed = append(w.facts.robbed, robbed{command, s.owner, s.n})
			}
			s.owner, reply = -1, "1"
		}
	}
	return reply
}
