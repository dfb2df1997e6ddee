package resp

// Rewrite returns a whole reply with other strings: change gets all of them, at any depth, in their
// order, and sets those that shall be others.
func Rewrite(reply []byte, change func(texts []string)) []byte {
	var places []place
	var texts []string
	for at := 0; at < len(reply); {
		kind, line, head := Line(reply[at:])
		if head == 0 {
			return reply // it is not whole
		}
		begin := at
		at += head
		if kind != '$' {
			continue
		}
		n, ok := length(line, len(reply)-at-len("\r\n"))
		if !ok {
			return reply
		}
		if n >= 0 {
			texts = append(texts, string(reply[at:at+n]))
			at += n + len("\r\n")
			places = append(places, place{begin, at})
		}
	}
	change(texts)
	var w Writer
	at := 0
	for i, p := range places {
		w.B = append(w.B, reply[at:p.begin]...)
		w.Bulk(texts[i])
		at = p.end
	}
	return append(w.B, reply[at:]...)
}

// place is where a string stands in a reply.
type place struct{ begin, end int }
