//go:build linux

package stepped

// EndSpares ends the programs that wait for another run.
func EndSpares() {
	idle.mu.Lock()
	defer idle.mu.Unlock()
	for _, x := range idle.all {
		x.close()
	}
	idle.all = nil
}
