package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lockbench/lockbench/internal/batch"
	"github.com/lockbench/lockbench/internal/store"
	"github.com/lockbench/lockbench/internal/study"
	"github.com/spf13/cobra"
)

// mitigate measures the mitigations instead of the matrix.
func (f *matrixFlags) mitigate(c *cobra.Command) error {
	dir, _, err := f.open()
	if err != nil {
		return usage(err)
	}
	environment, bar := &processEnvironment{root: dir}, newBar(c.ErrOrStderr())
	m, runErr := study.Mitigate(c.Context(), f.options, environment.run, environment.sample, bar.step)
	bar.stop()
	m.Versions = environment.found()
	write := func(w *os.File) error { return m.Write(w) }
	err = store.Write(dir, study.MitigationsFile, write)
	if f.docs != "" && runErr == nil {
		err = errors.Join(err, store.Write(f.docs, study.MitigationsFile, write))
	}
	if err != nil {
		return broken(err)
	}
	switch {
	case errors.Is(runErr, context.Canceled):
		return exit{exitInterrupted, errors.New("interrupted; nothing was written to docs")}
	case runErr != nil:
		return broken(runErr)
	case f.asJSON:
		return m.Write(c.OutOrStdout())
	}
	if err := m.Text(c.OutOrStdout()); err != nil {
		return broken(err)
	}
	fmt.Fprintf(c.OutOrStdout(), "\nThe runs and %s are in %s\n", study.MitigationsFile, dir)
	return nil
}

// sample is study.Sampler.
func (w *processEnvironment) sample(name string) (batch.Sample, error) {
	r, err := store.Load(filepath.Join(w.root, name))
	if err != nil {
		return batch.Sample{}, err
	}
	return batch.Measure(r.History, r.Trace), nil
}
