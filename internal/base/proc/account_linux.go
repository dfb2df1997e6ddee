package proc

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// powerless is a user and a group that own nothing, on every Linux.
const powerless = 65534

// Unprivileged makes a child run as a user without rights, if this process runs as root, because
// databases refuse to run as root. That user then owns these folders. The folders above them must
// be open to all users.
func Unprivileged(c *exec.Cmd, folders ...string) error {
	if os.Getuid() != 0 {
		return nil
	}
	if c.SysProcAttr == nil {
		c.SysProcAttr = &syscall.SysProcAttr{}
	}
	c.SysProcAttr.Credential = &syscall.Credential{Uid: powerless, Gid: powerless}
	for _, f := range folders {
		if err := passable(f); err != nil {
			return err
		}
		if _, _, err := GiveAway(f); err != nil {
			return err
		}
	}
	return nil
}

// GiveAway makes a user without rights own a folder, if this process runs as root. It returns the
// user and the group that own the folder.
func GiveAway(folder string) (user, group int, err error) {
	if os.Getuid() != 0 {
		return os.Getuid(), os.Getgid(), nil
	}
	return powerless, powerless, filepath.WalkDir(folder,
		func(name string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(name, powerless, powerless)
		})
}

// passable returns an error that names a folder above another if other users cannot enter it.
func passable(folder string) error {
	for dir := filepath.Dir(folder); ; dir = filepath.Dir(dir) {
		if i, err := os.Stat(dir); err != nil {
			return err
		} else if i.Mode()&1 == 0 && i.Sys().(*syscall.Stat_t).Uid != powerless {
			return fmt.Errorf("%s is closed to other users, and this server runs as another user: "+
				"`chmod o+x %s`, or set TMPDIR to another folder", dir, dir)
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}
