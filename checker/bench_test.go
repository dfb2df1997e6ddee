package checker

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker/linear/lineartest"

	"github.com/anishathalye/porcupine"
	"github.com/lockbench/lockbench/checker/linear"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// spansOfOps makes the spans that the check of S gets: one for each pair of an acquire and a
// release.
func spansOfOps(ops []linear.Op) []record.Span {
	var ss []record.Span
	for i, t := range linear.Tokens(ops) {
		if t.Core() {
			ss = append(ss, record.Span{From: t.From, End: t.End, Hold: int32(i), Lease: 0})
		}
	}
	slices.SortFunc(ss, func(a, b record.Span) int { return cmp.Compare(a.From, b.From) })
	return ss
}

// historyOf writes operations as a recorder does.
func historyOf(ops []linear.Op) *history.History {
	h := &history.History{Header: history.Header{Type: "header", Format: history.Format,
		Environment: "bench", Declares: history.Declares{Lease: true}}}
	end := int64(0)
	for i := range ops {
		o := &ops[i]
		e := history.Event{Type: history.Invoke, T: o.Call, Process: int(o.Process), F: history.Acquire,
			N: int(o.Token), Key: history.Ptr(0)}
		if o.Kind == linear.Release {
			e.F = history.Release
		}
		h.Events = append(h.Events, e)
		e.Type, e.T = [...]history.Type{history.OK, history.Fail, history.Info}[o.Outcome], o.Ret
		if e.Type == history.Info {
			e.T = o.Call + 900
		} else if e.F == history.Acquire && e.Type == history.OK {
			e.Grant = &history.Grant{Sent: o.Call, Lease: history.Duration(2 * time.Second), Node: "n0"}
		}
		h.Events = append(h.Events, e)
		end = max(end, e.T)
	}
	h.Sort()
	h.Events = append(h.Events, history.Event{Type: history.End, T: end, Process: history.Harness})
	return h
}

// BenchmarkSideBySide measures the steps on the same valid histories in one run and prints them as
// ratios.
func BenchmarkSideBySide(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		ops := lineartest.Recorded(n, 10, 0, 0)
		ss := spansOfOps(ops)
		json := &bytes.Buffer{}
		if err := historyOf(ops).Write(json); err != nil {
			b.Fatal(err)
		}
		cost := map[string]float64{}
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for range b.N {
					f()
				}
				cost[name] = float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(len(ops))
				b.ReportMetric(cost[name], "ns/operation")
			})
		}
		run("spans", func() { record.Disjoint(ss) })
		run("mutex", func() { linear.FastMutex(ops) })
		doubtful := lineartest.Recorded(n, 10, 0.05, 0)
		run("mutex with unknowns", func() { linear.FastMutex(doubtful) })
		run("scan", func() { scan(json.Bytes()) })
		run("slices", func() { linear.Mutex(ops, 0) })
		run("plain", func() { porcupine.CheckOperations(linear.MutexModel(), linear.Operations(ops)) })
		fmt.Fprintf(os.Stderr,
			"%7d operations: plain porcupine : fast check of S = %.0f, : fast check of the mutex model = "+
				"%.0f, : porcupine on slices = %.1f; scanning the JSON : fast check of the mutex model = "+
				"%.1f\n",
			len(ops), cost["plain"]/cost["spans"], cost["plain"]/cost["mutex"], cost["plain"]/cost["slices"],
			cost["scan"]/cost["mutex"])
	}
}

func scan(text []byte) int {
	s := bufio.NewScanner(bytes.NewReader(text))
	n := 0
	for s.Scan() {
		n += len(s.Bytes())
	}
	return n
}

// BenchmarkMillion has porcupine with preparation decide a million operations of 100 clients, 5 %
// of them unknown.
func BenchmarkMillion(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		ops := lineartest.Queued(n, 100, 0.05) // acquires wait in a queue
		unknown := 0
		for i := range ops {
			if ops[i].Outcome == linear.Unsure {
				unknown++
			}
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportMetric(100*float64(unknown)/float64(len(ops)), "%-unknown")
			runtime.GC()
			peak := watchHeap()
			for range b.N {
				if r := linear.Mutex(ops, 0); r.Result != porcupine.Ok {
					b.Fatal(r.Result)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(ops)), "ns/operation")
			b.ReportMetric(float64(peak())/(1<<20), "MB-heap")
		})
	}
}

// watchHeap samples the heap until the function that it returns is called, which returns the
// largest sample in bytes.
func watchHeap() func() uint64 {
	stop, peak := make(chan struct{}), make(chan uint64)
	go func() {
		var most uint64
		for {
			select {
			case <-stop:
				peak <- most
				return
			case <-time.After(5 * time.Millisecond):
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapInuse)
			}
		}
	}()
	return func() uint64 { close(stop); return <-peak }
}

// BenchmarkViolationAmongUnknowns finds a double grant behind 50 operations of unknown outcome, and
// gives plain porcupine ten seconds for it.
func BenchmarkViolationAmongUnknowns(b *testing.B) {
	const patience = 10 * time.Second
	ops := withUnknown(lineartest.Recorded(1000, 10, 0, 900), 50)
	b.Run("prepared", func(b *testing.B) {
		for range b.N {
			f, _, _ := linear.FastMutex(ops)
			if r := linear.Mutex(ops, 0); f == linear.NoFlaw || r.Result != porcupine.Illegal {
				b.Fatal("missed")
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		peak := watchHeap()
		var result porcupine.CheckResult
		for range b.N {
			result = porcupine.CheckOperationsTimeout(linear.MutexModel(), linear.Operations(ops), patience)
		}
		b.ReportMetric(float64(peak())/(1<<20), "MB-heap")
		fmt.Fprintf(os.Stderr, "plain porcupine on a violation among 50 unknowns: %s within %v\n", result,
			patience)
	})
}

// withUnknown makes n releases, spread over the first nine tenths, unknown ones that were tried
// again.
func withUnknown(ops []linear.Op, n int) []linear.Op {
	out := slices.Clone(ops)
	step := max(1, len(ops)*9/10/n)
	for i := 0; n > 0 && i < len(ops); i++ {
		if o := ops[i]; o.Kind == linear.Release && i/step > len(out)-len(ops) {
			o.Outcome, o.Ret = linear.Unsure, record.Forever
			out = append(out, o)
			n--
		}
	}
	return out
}

// BenchmarkCheck is everything from the events to the verdict on S and L.
func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		h := historyOf(lineartest.Recorded(n, 10, 0, 0))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for range b.N {
				if v := Check(h, nil, Options{Properties: []string{"S", "L"}}); v.Verdict != Valid {
					b.Fatal(v.Summary)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/operation")
		})
	}
}
