// Command probe answers what the harness finds of one lock; package detection starts it, compiled
// with all mutants of the locks in it.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/lockbench/lockbench/lab/mutate/detection"
)

func main() {
	if err := detection.Answer(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
