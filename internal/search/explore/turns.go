package explore

// turns decides which schedule of a portfolio runs next. The shares follow the number of new states
// that each schedule found lately in a run. Each schedule keeps a minimum share, so that a
// portfolio is never much worse than its best member, even if the others find many useless states.
type turns struct {
	members []string
	share   map[string]float64 // of the runs; the sum is 1
	worth   map[string]float64 // recent average of new states in a run
	lately  map[string]tally   // since the shares were adapted
	credit  []map[string]float64
}

type tally struct{ runs, states int }

// floor is the part of an even share that each member keeps.
const floor = 0.75

// take returns the schedule of the next run of a plan. Each plan has its own turns, so that no plan
// always gets the same schedule.
func (t *turns) take(plan int) (next string) {
	for len(t.credit) <= plan {
		t.credit = append(t.credit, map[string]float64{})
	}
	credit := t.credit[plan]
	for _, m := range t.members {
		if credit[m] += t.shareOf(m); next == "" || credit[m] > credit[next] {
			next = m
		}
	}
	credit[next]--
	return next
}

func (t *turns) shareOf(member string) float64 {
	even := 1 / float64(len(t.members))
	if t.share == nil {
		return even
	}
	return floor*even + (1-floor)*t.share[member]
}

// found records the number of new states that a run reached.
func (t *turns) found(member string, states int) {
	if t.lately == nil {
		t.lately = map[string]tally{}
	}
	l := t.lately[member]
	t.lately[member] = tally{l.runs + 1, l.states + states}
}

// adapt sets the shares. The weight of older results is halved each time.
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
		return // without new states all have the same share
	}
	t.share = map[string]float64{}
	for _, m := range t.members {
		t.share[m] = t.worth[m] / sum
	}
}
