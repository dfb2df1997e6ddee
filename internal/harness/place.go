package harness

import "fmt"

// Place says where the servers of an environment are, as far as the environment's name does not. A
// plan has it, so that it repeats the same environment. What it names is not checked here: only the
// environment knows what can be had.
type Place struct {
	// environment process: the program that is started as Redis; "": the redis-server installed
	Server  string `json:"server,omitempty"`
	Image   string `json:"image,omitempty"`   // environment docker: what servers are started from
	Network string `json:"network,omitempty"` // environment docker: host or bridge, or auto
	// environment docker: on the host, or in a container each
	Workers string `json:"workers,omitempty"`
	// environment external: host:port of each independent master
	Addrs []string `json:"addrs,omitempty"`
	TLS   bool     `json:"tls,omitempty"` // environment external
	// environment external: even one that holds keys of others
	AnyDatabase bool `json:"any_database,omitempty"`
}

// Suits refuses what another environment would have to be told.
func (p Place) Suits(environment string) error {
	for _, field := range []struct {
		flag, environment string
		given             bool
	}{
		{"server", "process", p.Server != ""},
		{"redis-image", "docker", p.Image != ""},
		{"docker-network", "docker", p.Network != ""},
		{"workers", "docker", p.Workers != ""},
		{"addr", "external", len(p.Addrs) > 0},
		{"tls", "external", p.TLS},
		{"any-database", "external", p.AnyDatabase},
	} {
		if field.given && field.environment != environment {
			return fmt.Errorf("--%s is for --env %s, and this is the environment %s", field.flag,
				field.environment,
				environment)
		}
	}
	return nil
}
