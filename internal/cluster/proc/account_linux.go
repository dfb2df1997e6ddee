package proc

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// powerless is the user and the group of every Linux that own nothing.
const powerless = 65534

// Unprivileged makes a child run as a user without rights, which then owns these folders, if this
// process is root's: databases refuse to run as root. The folders above them must be open to all.
func Unprivileged(c *exec.Cmd, folders ...string) error {
	if os.Getuid() != 0 {
		return nil
	}
	if c.SysProcAttr == nil {
		c.SysProcAttr = &syscall.SysProcAttr{}
	}
	c.SysProcAttr.Credential = &syscall.Credential{Uid: powerless, Gid: powerless}
	for _, f := range folders {
		err := filepath.WalkDir(f, func(name string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(name, powerless, powerless)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
