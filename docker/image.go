package docker

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// DefaultImage is the image that docker/Dockerfile makes, and docker/base-image where no registry
// can be reached.
const DefaultImage = "lockbench/redis:7"

// SystemsImage is the image that docker/base-image makes of the servers of other systems.
const SystemsImage = "lockbench/systems:12"

// shimLabel says where an image keeps a clock shim that was built for its C library.
const shimLabel = "lockbench.shim"

// pullTimeout bounds the download of an image.
const pullTimeout = 5 * time.Minute

// image is what the launcher has to know of an image.
type image struct {
	name   string
	id     string // "sha256:028daadafc8a"
	server string // the program: "redis-server", or what the image starts by itself
	shim   string // path of its clock shim; "" if it has none
}

// image looks for an image, and pulls it if it is not ours and not here.
func (d *daemon) image(ctx context.Context, name string) (image, error) {
	r, err := d.ImageInspect(ctx, name)
	if errdefs.IsNotFound(err) {
		if err := d.pull(ctx, name); err != nil {
			return image{}, err
		}
		r, err = d.ImageInspect(ctx, name)
	}
	if err != nil {
		return image{}, fmt.Errorf("image %s: %s", name, oneLine(err))
	}
	i := image{name: name, id: short(r.ID), server: "redis-server"}
	if r.Config != nil {
		i.shim = r.Config.Labels[shimLabel]
		if len(r.Config.Cmd) > 0 && strings.HasSuffix(r.Config.Cmd[0], "-server") {
			i.server = path.Base(r.Config.Cmd[0]) // valkey-server, keydb-server
		}
	}
	return i, nil
}

func short(id string) string { return id[:min(len(id), len("sha256:")+12)] }

// pull downloads an image. Ours is in no registry.
func (d *daemon) pull(ctx context.Context, name string) error {
	if name == DefaultImage || name == SystemsImage {
		return errors.New(missing(name))
	}
	ctx, cancel := context.WithTimeout(ctx, pullTimeout)
	defer cancel()
	r, err := d.ImagePull(ctx, name, client.ImagePullOptions{})
	if err == nil {
		err = r.Wait(ctx)
	}
	if err != nil {
		return fmt.Errorf(
			"the image %s is not here and cannot be pulled (%s): `docker pull` it where a registry can be "+
				"reached, or build ours with docker/base-image and leave --redis-image out", name, oneLine(err))
	}
	return nil
}

// missing says how to get an image of ours.
func missing(name string) string {
	if name == SystemsImage {
		return fmt.Sprintf("the image %s is missing: build it with `docker/base-image %[1]s`", name)
	}
	return fmt.Sprintf("the image %s is missing: build it with `docker build -t %[1]s -f "+
		"docker/Dockerfile internal/env/cluster/clock/shim`, or without a registry with "+
		"`docker/base-image`; or take another with --redis-image redis:7", name)
}

// ImageID is the identity of an image of ours that is here. The error says how to get it; nothing
// is pulled.
func ImageID(ctx context.Context, name string) (string, error) {
	d, err := connect(ctx)
	if err != nil {
		return "", err
	}
	defer d.Close()
	r, err := d.ImageInspect(ctx, name)
	if errdefs.IsNotFound(err) {
		return "", errors.New(missing(name))
	}
	if err != nil {
		return "", fmt.Errorf("image %s: %s", name, oneLine(err))
	}
	return short(r.ID), nil
}
