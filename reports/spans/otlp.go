package spans

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/reports/view"
)

// The types are those of OTLP's JSON encoding (TracesData), as far as a run needs them. IDs are in
// hexadecimal and 64-bit numbers are text there.
type otlpFile struct {
	Resources []otlpResource `json:"resourceSpans"`
}

type otlpResource struct {
	Resource struct {
		Attributes []otlpAttribute `json:"attributes"`
	} `json:"resource"`
	Scopes []otlpScope `json:"scopeSpans"`
}

type otlpScope struct {
	Scope struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	} `json:"scope"`
	Spans []otlpSpan `json:"spans"`
}

type otlpSpan struct {
	TraceID    string          `json:"traceId"`
	SpanID     string          `json:"spanId"`
	Parent     string          `json:"parentSpanId,omitempty"`
	Name       string          `json:"name"`
	Kind       int             `json:"kind"`
	Start      string          `json:"startTimeUnixNano"`
	End        string          `json:"endTimeUnixNano"`
	Attributes []otlpAttribute `json:"attributes,omitempty"`
	Events     []otlpEvent     `json:"events,omitempty"`
	Links      []otlpLink      `json:"links,omitempty"`
	Status     *otlpStatus     `json:"status,omitempty"`
}

type otlpAttribute struct {
	Key   string    `json:"key"`
	Value otlpValue `json:"value"`
}

type otlpValue struct {
	String *string `json:"stringValue,omitempty"`
	Int    *string `json:"intValue,omitempty"`
	Bool   *bool   `json:"boolValue,omitempty"`
}

type otlpEvent struct {
	Time string `json:"timeUnixNano"`
	Name string `json:"name"`
}

type otlpLink struct {
	TraceID    string          `json:"traceId"`
	SpanID     string          `json:"spanId"`
	Attributes []otlpAttribute `json:"attributes"`
}

type otlpStatus struct {
	Code    int    `json:"code"`
	Message string `json:"message,omitempty"`
}

// The numbers of OTLP's enums.
const (
	internalSpan = 1
	statusError  = 2
)

// otlp numbers the spans of a run and places them in time.
type otlp struct {
	v     *view.View
	began time.Time
	trace string
	holds map[hold]string
}

// WriteOTLP writes a run as OpenTelemetry's spans in OTLP's JSON encoding. The run is one trace and
// has a root span. Each track is a resource of its own, so that viewers tell clients apart.
func WriteOTLP(w io.Writer, v *view.View) error {
	o := &otlp{v: v, began: v.Began(), holds: map[hold]string{}}
	o.trace = o.id("trace", 16)
	tracks := tracksOf(v)
	for t := range tracks {
		for i, s := range tracks[t].spans {
			if s.hold.n > 0 {
				o.holds[s.hold] = o.spanID(t, i)
			}
		}
	}
	f := otlpFile{[]otlpResource{o.root()}}
	for t := range tracks {
		if r := o.track(t, tracks[t]); len(r.Scopes[0].Spans) > 0 {
			f.Resources = append(f.Resources, r)
		}
	}
	return history.WriteDocument(w, f)
}

func (o *otlp) root() otlpResource {
	h := o.v.History.Header
	s := o.span(o.rootID(), span{name: "run", to: o.v.End, parent: -1, details: map[string]any{
		"lock": h.Impl, "fault": h.Nemesis, "seed": strconv.FormatUint(h.Seed, 10),
		"command": h.Command}})
	if v := o.v.Verdict; v != nil {
		s.Attributes = append(s.Attributes, attribute("verdict", v.Verdict.String()),
			attribute("summary", v.Summary))
	}
	return o.resource("lockbench", []otlpSpan{s})
}

func (o *otlp) track(t int, track track) otlpResource {
	var all []otlpSpan
	for i, s := range track.spans {
		x := o.span(o.spanID(t, i), s)
		x.Parent = o.rootID()
		if s.parent >= 0 {
			x.Parent = o.spanID(t, s.parent)
		}
		all = append(all, x)
	}
	for _, m := range track.marks {
		if i := track.spanAt(m.t); i >= 0 {
			all[i].Events = append(all[i].Events, otlpEvent{o.time(m.t), m.text})
		}
	}
	return o.resource(track.name, all)
}

// spanAt returns the last span that started before a moment, or the first span, or -1.
func (t *track) spanAt(stamp int64) int {
	last := min(0, len(t.spans)-1)
	for i, s := range t.spans {
		if s.from <= stamp && (s.to >= stamp || last == 0) {
			last = i
		}
	}
	return last
}

func (o *otlp) span(id string, s span) otlpSpan {
	x := otlpSpan{TraceID: o.trace, SpanID: id, Name: s.name, Kind: internalSpan,
		Start: o.time(s.from), End: o.time(s.to)}
	for _, k := range slices.Sorted(maps.Keys(s.details)) {
		x.Attributes = append(x.Attributes, attribute(k, s.details[k]))
	}
	if s.failed != "" {
		x.Status = &otlpStatus{statusError, s.failed}
	}
	for _, l := range s.links {
		if to := o.holds[l.to]; to != "" {
			x.Links = append(x.Links, otlpLink{o.trace, to,
				[]otlpAttribute{attribute("violation", l.violation)}})
		}
	}
	return x
}

func (o *otlp) resource(name string, all []otlpSpan) (r otlpResource) {
	r.Resource.Attributes = []otlpAttribute{attribute("service.name", name)}
	s := otlpScope{Spans: all}
	s.Scope.Name, s.Scope.Version = "lockbench", o.v.History.Header.Versions["lockbench"]
	r.Scopes = []otlpScope{s}
	return r
}

func (o *otlp) time(stamp int64) string {
	return strconv.FormatInt(max(0, o.began.UnixNano()+stamp), 10)
}

func (o *otlp) rootID() string { return o.id("root", 8) }

func (o *otlp) spanID(track, span int) string { return o.id(fmt.Sprint(track, "/", span), 8) }

// id returns the same bytes for the same run and name.
func (o *otlp) id(name string, bytes int) string {
	sum := sha256.Sum256([]byte(o.v.History.Header.Command + "\n" + o.began.String() + "\n" + name))
	return hex.EncodeToString(sum[:bytes])
}

func attribute(key string, value any) otlpAttribute {
	a := otlpAttribute{Key: "lockbench." + key}
	if key == "service.name" {
		a.Key = key
	}
	switch x := value.(type) {
	case bool:
		a.Value.Bool = &x
	case int, int64:
		a.Value.Int = history.Ptr(fmt.Sprint(x))
	default:
		a.Value.String = history.Ptr(fmt.Sprint(x))
	}
	return a
}
