package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
)

//go:embed gate.example.yaml
var gateExample []byte

// writeExample writes a gate file to begin with. It never overwrites one.
func writeExample(c *cobra.Command, name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf(
			"%s is there already and stays as it is; name another file: lockbench gate --init FILE", name)
	} else if err != nil {
		return err
	}
	_, err = f.Write(gateExample)
	if err := errors.Join(err, f.Close()); err != nil {
		return broken(err)
	}
	fmt.Fprintf(c.OutOrStdout(), "%s is written; `lockbench gate %s` runs it\n", name, quoted(name))
	return nil
}
