package harness

import "fmt"

// Place says where the servers of a world are, as far as the world's name does not. A plan has it,
// so that it repeats the same world. What it names is not checked here: only the world knows what
// can be had.
type Place struct {
	Image   string `json:"image,omitempty"`   // world docker: what servers are started from
	Network string `json:"network,omitempty"` // world docker: host or bridge, or auto
	// world docker: on the host, or in a container each
	Workers string `json:"workers,omitempty"`
	// world external: host:port of each independent master
	Addrs []string `json:"addrs,omitempty"`
	TLS   bool     `json:"tls,omitempty"` // world external
	// world external: even one that holds keys of others
	AnyDatabase bool `json:"any_database,omitempty"`
}

// Suits refuses what another world would have to be told.
func (p Place) Suits(world string) error {
	for _, field := range []struct {
		flag, world string
		given       bool
	}{
		{"redis-image", "docker", p.Image != ""},
		{"docker-network", "docker", p.Network != ""},
		{"workers", "docker", p.Workers != ""},
		{"addr", "external", len(p.Addrs) > 0},
		{"tls", "external", p.TLS},
		{"any-database", "external", p.AnyDatabase},
	} {
		if field.given && field.world != world {
			return fmt.Errorf("--%s is for --env %s, and this is the world %s", field.flag, field.world,
				world)
		}
	}
	return nil
}
