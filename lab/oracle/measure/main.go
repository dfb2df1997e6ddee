// Command measure draws runs, compares the verdict of each with the actions of its servers, and
// counts the differences. It prints each as a line that a test of package oracle can repeat. With
// -like it draws neighbours of one line: the same lock, workload and fault with other seeds.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"time"

	"github.com/lockbench/lockbench/lab/oracle"
)

func main() {
	from := flag.Uint64("from", 0, "the first seed")
	runs := flag.Uint64("runs", 1000, "how many runs are drawn")
	lock := flag.String("lock", "", "draw only runs of this lock")
	like := flag.String("like", "", "draw only runs like this line, with the seeds from -from on")
	after := flag.Duration("for", 8*time.Minute, "when to end at the latest")
	show := flag.Int("show", 3, "how many lines of each kind are shown")
	flag.Parse()
	draw := func(seed uint64) oracle.Line { return oracle.Draw(seed, *lock) }
	if *like != "" {
		l, err := oracle.ParseLine(*like)
		if err != nil {
			log.Fatal(err)
		}
		draw = func(seed uint64) oracle.Line { l.Seed = seed; return l }
	}
	tally, began := oracle.NewTally(*show), time.Now()
	for seed := *from; seed < *from+*runs && time.Since(began) < *after; seed++ {
		l := draw(seed)
		o, err := oracle.Run(context.Background(), l)
		tally.Add(l, o, err)
	}
	fmt.Print(tally)
}
