// Command probe tests one lock or mutant. Package detection compiles it with all mutants of the
// locks and starts it.
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
