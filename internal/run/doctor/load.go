package doctor

import (
	"fmt"
	"os"
	"runtime"
)

// Load checks how busy the machine is. With more running programs than processors, clients stall
// without a fault, and a run may come out unknown. If the load is unknown, the check passes.
func Load() Finding {
	text, _ := os.ReadFile("/proc/loadavg")
	return loadOf(string(text), runtime.NumCPU())
}

// loadOf reads the first number of /proc/loadavg, the mean of a minute.
func loadOf(text string, processors int) Finding {
	f := Finding{Name: "load", OK: true, For: "runs on real Redis that decide something",
		Found: "not known"}
	var load float64
	if n, _ := fmt.Sscan(text, &load); n == 0 {
		return f
	}
	f.Found = fmt.Sprintf("%.1f on %d processors", load, processors)
	if load > float64(processors) {
		f.OK, f.Advice = false, "runs take longer, and some may come out unknown; wait until less "+
			"runs at the same time, or use --env sim"
	}
	return f
}
