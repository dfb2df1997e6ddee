package spans_test

import (
	"encoding/hex"
	"strconv"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/reports/spans"
	"github.com/lockbench/lockbench/reports/view"
)

// The types follow opentelemetry-proto's trace.proto and the rules of its JSON encoding.
type otlpAttributes []struct {
	Key   string `json:"key"`
	Value struct {
		StringValue *string `json:"stringValue"`
		IntValue    *string `json:"intValue"`
		BoolValue   *bool   `json:"boolValue"`
	} `json:"value"`
}

type otlpSpan struct {
	TraceID           string         `json:"traceId"`
	SpanID            string         `json:"spanId"`
	ParentSpanID      string         `json:"parentSpanId"`
	Name              string         `json:"name"`
	Kind              int            `json:"kind"`
	StartTimeUnixNano string         `json:"startTimeUnixNano"`
	EndTimeUnixNano   string         `json:"endTimeUnixNano"`
	Attributes        otlpAttributes `json:"attributes"`
	Events            []struct {
		TimeUnixNano string         `json:"timeUnixNano"`
		Name         string         `json:"name"`
		Attributes   otlpAttributes `json:"attributes"`
	} `json:"events"`
	Links []struct {
		TraceID    string         `json:"traceId"`
		SpanID     string         `json:"spanId"`
		Attributes otlpAttributes `json:"attributes"`
	} `json:"links"`
	Status struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"status"`
}

type tracesData struct {
	ResourceSpans []struct {
		Resource struct {
			Attributes otlpAttributes `json:"attributes"`
		} `json:"resource"`
		ScopeSpans []struct {
			Scope struct {
				Name    string `json:"name"`
				Version string `json:"version"`
			} `json:"scope"`
			Spans []otlpSpan `json:"spans"`
		} `json:"scopeSpans"`
	} `json:"resourceSpans"`
}

// spansOf decodes a run's spans and checks each, and that all are one trace.
func spansOf(t *testing.T, v *view.View) map[string]otlpSpan {
	t.Helper()
	var f tracesData
	strict(t, v, spans.WriteOTLP, &f)
	all := map[string]otlpSpan{}
	for _, r := range f.ResourceSpans {
		if a := r.Resource.Attributes; len(a) == 0 || a[0].Key != "service.name" {
			t.Errorf("a resource without service.name: %+v", a)
		}
		for _, s := range r.ScopeSpans[0].Spans {
			if _, twice := all[s.SpanID]; twice {
				t.Errorf("two spans are %s", s.SpanID)
			}
			all[s.SpanID] = s
			wellFormedSpan(t, s)
		}
	}
	return all
}

func wellFormedSpan(t *testing.T, s otlpSpan) {
	t.Helper()
	trace, err := hex.DecodeString(s.TraceID)
	id, err2 := hex.DecodeString(s.SpanID)
	from, err3 := strconv.ParseUint(s.StartTimeUnixNano, 10, 64)
	to, err4 := strconv.ParseUint(s.EndTimeUnixNano, 10, 64)
	if err != nil || err2 != nil || err3 != nil || err4 != nil || len(trace) != 16 || len(id) != 8 ||
		from > to || s.Name == "" || s.Kind < 1 || s.Kind > 5 || s.Status.Code > 2 {
		t.Errorf("not a span: %+v", s)
	}
	for _, a := range s.Attributes {
		values := 0
		for _, set := range []bool{a.Value.StringValue != nil, a.Value.IntValue != nil,
			a.Value.BoolValue != nil} {
			if set {
				values++
			}
		}
		if a.Key == "" || values != 1 {
			t.Errorf("%s has %d values of %q", s.Name, values, a.Key)
		}
	}
}

func TestOTLPIsOneTraceOfLinkedSpans(t *testing.T) {
	for name, v := range views(t) {
		t.Run(name, func(t *testing.T) {
			all, roots, links, acquires := spansOf(t, v), 0, 0, 0
			for _, s := range all {
				if s.ParentSpanID == "" {
					roots++
				} else if p, known := all[s.ParentSpanID]; !known || p.TraceID != s.TraceID {
					t.Errorf("%s has the unknown parent %q", s.Name, s.ParentSpanID)
				}
				if strings.HasPrefix(s.Name, "acquire ") {
					acquires++
				}
				for _, l := range s.Links {
					to, known := all[l.SpanID]
					if !known || l.TraceID != s.TraceID || !strings.HasPrefix(to.Name, "hold ") {
						t.Errorf("%s has a link to %q", s.Name, to.Name)
					}
					if strings.HasPrefix(s.Name, "hold ") {
						links++
					}
				}
			}
			if roots != 1 || acquires != len(v.Calls) {
				t.Errorf("%d roots, %d acquires of %d", roots, acquires, len(v.Calls))
			}
			if want := 2 * together(v); links != want {
				t.Errorf("%d links between holds, want %d", links, want)
			}
		})
	}
}
