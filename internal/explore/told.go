package explore

import "fmt"

// Told are the steps in lines for people: a command whose sending, execution and reply follow each
// other with nothing in between is one line, at the time of the reply.
func Told(steps []Step) (lines []string) {
	for i := 0; i < len(steps); i++ {
		if i+2 < len(steps) && together(steps[i], steps[i+1], steps[i+2]) {
			s := steps[i+2]
			lines = append(lines, fmt.Sprintf("%10.3fms c%d to %s and back: %s = %s", float64(s.At)/1e6,
				s.Client, s.Node, s.Command, s.Reply))
			i += 2
			continue
		}
		lines = append(lines, steps[i].String())
	}
	return lines
}

// together reports whether three steps are one command that nothing came between.
func together(send, exec, recv Step) bool {
	same := func(s Step) bool {
		return s.Client == recv.Client && s.Seq == recv.Seq && s.Node == recv.Node &&
			s.Command == recv.Command
	}
	return send.Kind == Send && exec.Kind == Exec && recv.Kind == Recv && recv.Err == "" &&
		exec.Reply == recv.Reply && same(send) && same(exec)
}
