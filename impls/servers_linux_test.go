package impls_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
)

// startServers starts n redis-server processes.
func startServers(n int) (w environment, stop func(), err error) {
	dir, err := os.MkdirTemp("", "impls")
	if err != nil {
		return nil, nil, err
	}
	var nodes []*server.Node
	stop = func() {
		for _, n := range nodes {
			n.Kill()
		}
		os.RemoveAll(dir)
	}
	p := &processes{}
	for i := range n {
		node, err := startServer(dir, fmt.Sprint("n", i), "")
		if err != nil {
			stop()
			return nil, nil, err
		}
		nodes, p.addrs = append(nodes, node), append(p.addrs, node.Addr())
	}
	return p, stop, nil
}

// startServer starts one, as a replica if it is given a master, with further settings.
func startServer(dir, name, master string, config ...string) (*server.Node, error) {
	host, port := testenv.Address()
	node, err := server.StartNode(server.NodeConfig{
		Name: name, Host: host, Port: port, Dir: filepath.Join(dir, name), Log: filepath.Join(dir,
			name+".log"), ReplicaOf: master,
		Config: append(config, "cluster-announce-ip", host), // others would see 127.0.0.1
	})
	if err != nil {
		return nil, err
	}
	return node, node.Ready()
}
