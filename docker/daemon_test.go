package docker

import "testing"

// TestWhoseNetworkTheHostsIs says where containers on the host's network are on this machine's:
// only then can lockbench have the proxies.
func TestWhoseNetworkTheHostsIs(t *testing.T) {
	for name, c := range map[string]struct {
		here, host, system string
		security           []string
		elsewhere          bool
	}{
		"a daemon of this machine": {"linux", "unix:///var/run/docker.sock",
			"Debian GNU/Linux 12 (bookworm)", []string{"name=seccomp,profile=default"}, false},
		"Docker Desktop on Linux": {"linux", "unix:///home/me/.docker/desktop/docker.sock",
			"Docker Desktop", nil, true},
		"Docker Desktop on macOS": {"darwin", "unix:///var/run/docker.sock", "Docker Desktop",
			nil, true},
		"another virtual machine on macOS": {"darwin", "unix:///Users/me/.colima/default/docker.sock",
			"Ubuntu 24.04 LTS", nil, true},
		"Docker Desktop on Windows": {"windows", "npipe:////./pipe/docker_engine", "Docker Desktop", nil,
			true},
		"a rootless daemon": {"linux", "unix:///run/user/1000/docker.sock",
			"Debian GNU/Linux 12 (bookworm)", []string{"name=seccomp,profile=default", "name=rootless"},
			true},
		"a daemon behind TCP": {"linux", "tcp://build.example:2376", "Debian GNU/Linux 12 (bookworm)",
			nil, true},
		// it may be forwarded
		"a daemon of this machine, behind TCP": {"linux", "tcp://127.0.0.1:2375",
			"Debian GNU/Linux 12 (bookworm)", nil, true},
	} {
		why := elsewhere(c.here, c.host, c.system, c.security)
		if (why != "") != c.elsewhere {
			t.Errorf("%s is elsewhere: %q; want %v", name, why, c.elsewhere)
		}
		d := &daemon{remote: why}
		if got, err := d.network(Auto); err != nil || (got == Bridge) != c.elsewhere {
			t.Errorf("%s: the network is %s, %v", name, got, err)
		}
	}
}
