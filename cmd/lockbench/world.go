package main

import (
	"fmt"
	"os/exec"

	"github.com/lockbench/lockbench/internal/cluster"
)

// chooseWorld makes a name out of auto, and refuses a world that cannot be had.
func chooseWorld(name string) (string, error) {
	switch name {
	case "", "auto", "process":
		if _, err := exec.LookPath("redis-server"); err != nil {
			return "", cluster.ErrNoRedis
		}
		return "process", nil
	}
	return "", fmt.Errorf("unknown world %q for --env; there is: process", name)
}
