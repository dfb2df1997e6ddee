package explore

// turns say which schedule of a portfolio has the next turn. Their shares follow what each has
// found lately: new states for each run. Each keeps a floor, so that a portfolio is never much
// worse than its best member, however much the others find that leads to nothing.
type turns struct {
	members []string
	share   map[string]float64 // of the turns; they sum up to 1
	worth   map[string]float64 // new states in a run, of late
	lately  map[string]tally   // since the shares were adapted
	credit  []map[string]float64
}

type tally struct{ runs, states int }

// floor is how much of an even share each member keeps.
const floor = 0.75

// take is the schedule of the next run of a plan. Each plan has turns of its own: none may meet the
// same schedule again and again.
func (t *turns) take(plan int) (next string) {
	for len(t.credit) <= plan {
		t.credit = append(t.credit, map[string]float64{})
	}
	credit := t.credit[plan]
	for _, m := range t.members {
		if credit[m] += t.of(m); next == "" || credit[m] > credit[next] {
			next = m
		}
	}
	credit[next]--
	return next
}

// of is the share of a member.
func (t *turns) of(member string) float64 {
	even := 1 / float64(len(t.members))
	if t.share == nil {
		return even
	}
	return floor*even + (1-floor)*t.share[member]
}

// found notes how many new states a run came to.
func (t *turns) found(member string, states int) {
	if t.lately == nil {
		t.lately = map[string]tally{}
	}
	l := t.lately[member]
	t.lately[member] = tally{l.runs + 1, l.states + states}
}

// adapt sets the shares. What was found earlier counts half as much each time.
func (t *turns) adapt() {
	if t.worth == nil {
		t.worth = map[string]float64{}
	}
	sum := 0.0
	for _, m := range t.members {
		if l := t.lately[m]; l.runs > 0 {
			t.worth[m] = (t.worth[m] + float64(l.states)/float64(l.runs)) / 2
		}
		sum += t.worth[m]
	}
	t.lately, t.share = nil, nil
	if sum == 0 {
		return // nothing is new: all have the same share
	}
	t.share = map[string]float64{}
	for _, m := range t.members {
		t.share[m] = t.worth[m] / sum
	}
}
