package testenv

import "os"

// RacePlanted is the environment variable that names the part of a test binary with a data race.
const RacePlanted = "LOCKBENCH_PLANT_RACE"

// PlantRace has a data race if RacePlanted names this part.
func PlantRace(part string) {
	if os.Getenv(RacePlanted) != part {
		return
	}
	n, done := 0, make(chan bool)
	go func() {
		n++
		close(done)
	}()
	n++
	<-done
}
