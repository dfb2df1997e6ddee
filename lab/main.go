// Command lab writes the pages and records of this project's own measurements. It reads the results
// of lockbench:
//
//	lockbench matrix
//	cd lab && go run . docs ../store/matrix-all/latest
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/lab/searched"
	"github.com/lockbench/lockbench/lab/study"
	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "lab:", err)
		os.Exit(1)
	}
}

func command() *cobra.Command {
	c := &cobra.Command{Use: "lab", Short: "Make the pages of this project's own measurements",
		SilenceUsage: true, SilenceErrors: true}
	c.AddCommand(docsCommand(), soakCommand(), knownCommand(), exhaustiveCommand(),
		mitigationsCommand())
	return c
}

// resultsFlag registers the directory of records and pages.
func resultsFlag(c *cobra.Command, dir *string) {
	c.Flags().StringVar(dir, "results", "results", "directory of records and pages")
}

// checkDir returns an error if a directory does not exist, before anything is measured for it.
func checkDir(dir string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("%s is not a directory; create it first", dir)
	}
	return nil
}

func docsCommand() *cobra.Command {
	var dir string
	c := &cobra.Command{Use: "docs MATRIX", Args: cobra.ExactArgs(1),
		Short: "Keep what a matrix found, and write all pages",
		RunE: func(_ *cobra.Command, args []string) error {
			m, err := readMatrix(args[0])
			return errors.Join(err, checkDir(dir), ifOK(err, func() error {
				return study.WriteDocs(m, dir)
			}))
		}}
	resultsFlag(c, &dir)
	return c
}

// ifOK calls f unless err is set.
func ifOK(err error, f func() error) error {
	if err != nil {
		return nil
	}
	return f()
}

// readMatrix reads matrix.json in the directory of a matrix.
func readMatrix(dir string) (*matrix.Matrix, error) {
	f, err := os.Open(filepath.Join(dir, "matrix.json"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return matrix.Read(f)
}

func soakCommand() *cobra.Command {
	var dir string
	c := &cobra.Command{Use: "soak MATRIX", Args: cobra.ExactArgs(1),
		Short: "Judge a matrix that was run with --repeat 20: is every letter found each time?",
		RunE: func(c *cobra.Command, args []string) error {
			m, err := readMatrix(args[0])
			if err != nil {
				return err
			}
			s := study.CountSoak(m)
			if err := errors.Join(s.Save(args[0], dir), s.Text(c.OutOrStdout())); err != nil {
				return err
			}
			if n := len(s.Contradictions()); n > 0 {
				return fmt.Errorf("%d letters are not as required", n)
			}
			return nil
		}}
	c.Flags().StringVar(&dir, "results", "", "directory that keeps the record, too")
	return c
}

func knownCommand() *cobra.Command {
	var dir, out string
	c := &cobra.Command{Use: "known", Args: cobra.NoArgs,
		Short: "Write the record that choose and the hints after a run look things up in",
		RunE: func(*cobra.Command, []string) error {
			return writeKnown(os.DirFS(dir), out)
		}}
	resultsFlag(c, &dir)
	c.Flags().StringVar(&out, "out", "../internal/choose/known.json.gz", "the file")
	return c
}

func writeKnown(results fs.FS, out string) error {
	book, err := study.ReadBook(results)
	if err != nil {
		return err
	}
	hits, err := searched.Read(results)
	if err != nil {
		return err
	}
	return store.Write(filepath.Dir(out), filepath.Base(out), func(f *os.File) error {
		return study.WriteKnown(book.Known(hits), f)
	})
}
