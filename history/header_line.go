package history

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
)

func (h Header) write(l *line) {
	l.begin()
	l.name("type")
	l.quote(h.Type)
	l.number("format", int64(h.Format))
	l.always("environment", h.Environment)
	l.always("topology", h.Topology)
	l.object("versions", slices.Sorted(maps.Keys(h.Versions)), func(k string) {
		l.quote(h.Versions[k])
	})
	l.text("machine", h.Machine)
	l.always("impl", h.Impl)
	l.always("nemesis", h.Nemesis)
	l.always("workload", h.Workload)
	l.name("seed")
	l.b = strconv.AppendUint(l.b, h.Seed, 10)
	l.number("clients", int64(h.Clients))
	l.number("keys", int64(h.Keys))
	l.always("ttl", h.TTL.String())
	l.always("poll", h.Poll.String())
	l.fraction("drift", h.Drift)
	l.name("declares")
	h.Declares.write(l)
	l.count("masters", int64(h.Masters))
	l.texts("names", h.Names)
	l.object("scripts", slices.Sorted(maps.Keys(h.Scripts)), func(k string) { h.Scripts[k].write(l) })
	l.properties(h.Properties)
	l.always("expect", h.Expect)
	l.name("requires")
	h.Requires.write(l)
	l.number("epoch", h.Epoch)
	l.always("started", h.Started)
	l.always("command", h.Command)
	l.end()
}

func (d Declares) write(l *line) {
	l.begin()
	l.flag("lease", d.Lease)
	l.flag("validity", d.Validity)
	l.flag("loss", d.Loss)
	l.flag("fencing", d.Fencing)
	l.flag("reentrant", d.Reentrant)
	l.end()
}

func (r Requires) write(l *line) {
	l.begin()
	l.count("contended", int64(r.Contended))
	l.count("strikes", int64(r.Hits))
	l.flag("failover", r.Failover)
	l.end()
}

func (s Script) write(l *line) {
	l.begin()
	l.always("does", s.Does)
	l.always("done", s.Done)
	l.text("refused", s.Refused)
	l.end()
}

// always writes a text, also when it is empty.
func (l *line) always(name, v string) {
	l.name(name)
	l.quote(v)
}

// object leaves the field out when it is empty.
func (l *line) object(name string, keys []string, value func(key string)) {
	if len(keys) == 0 {
		return
	}
	l.name(name)
	l.begin()
	for _, k := range keys {
		if l.b[len(l.b)-1] != '{' {
			l.b = append(l.b, ',')
		}
		l.quote(k)
		l.b = append(l.b, ':')
		value(k)
	}
	l.end()
}

// properties writes a list, also when it is empty or there is none.
func (l *line) properties(ps []string) {
	switch {
	case len(ps) > 0:
		l.texts("properties", ps)
	case ps == nil:
		l.name("properties")
		l.b = append(l.b, "null"...)
	default:
		l.name("properties")
		l.b = append(l.b, "[]"...)
	}
}

func (l *line) fraction(name string, v float64) {
	l.name(name)
	if v == 0 && !math.Signbit(v) {
		l.b = append(l.b, '0')
		return
	}
	b, err := json.Marshal(v)
	if err != nil { // not a number, or infinite
		b = []byte("null")
	}
	l.b = append(l.b, b...)
}
