package resp

// Rewrite replaces strings in a complete reply. It calls change with all strings, at any depth, in
// their order. change assigns the new ones.
func Rewrite(reply []byte, change func(texts []string)) []byte {
	var places []place
	var texts []string
	for at := 0; at < len(reply); {
		kind, line, head := Line(reply[at:])
		if head == 0 {
			return reply // it is incomplete
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

// A place is the position of a string in a reply.
type place struct{ begin, end int }
