package harness

import "fmt"

// Place says where the servers of an environment are, in addition to the environment's name. A plan
// contains it, so that the plan repeats the same environment. Only the environment can check that
// the named servers exist.
type Place struct {
	// environment process: the program to start as Redis, or "" for the installed redis-server
	Server  string `json:"server,omitempty"`
	Image   string `json:"image,omitempty"`   // environment docker: the image of the servers
	Network string `json:"network,omitempty"` // environment docker: host or bridge, or auto
	// environment docker: where workers run, on the host or in a container each
	Workers string `json:"workers,omitempty"`
	// environment external: host:port of each independent master
	Addrs []string `json:"addrs,omitempty"`
	TLS   bool     `json:"tls,omitempty"` // environment external
	// environment external: accept a database that holds keys of others
	AnyDatabase bool `json:"any_database,omitempty"`
}

// Suits returns an error if a field is set that belongs to another environment.
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
