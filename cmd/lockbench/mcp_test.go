package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// session is a client of the SDK that is connected with a server.
func session(t *testing.T, f *mcpFlags) *mcp.ClientSession {
	t.Helper()
	var err error
	if f.program, err = exec.LookPath("lockbench"); err != nil { // testscript made it
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	s, err := f.server().Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	c, err := client.Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); _ = s.Wait() })
	return c
}

// TestMCPSpeaksOverStandardInput starts the command, and ends with its input.
func TestMCPSpeaksOverStandardInput(t *testing.T) {
	command := exec.Command("lockbench", "mcp", "--store", t.TempDir())
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	c, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, failed := ask(t, c, "run", object{"impl": "token-lua", "nemesis": "none"})
	if failed || !strings.Contains(text, `"verdict": "valid"`) {
		t.Errorf("failed %v: %.500s", failed, text)
	}
	if err := c.Close(); err != nil || command.ProcessState.ExitCode() != 0 {
		t.Errorf("it ended with %v, %v", command.ProcessState, err)
	}
}

// ask calls a tool, and returns its texts.
func ask(t *testing.T, c *mcp.ClientSession, tool string, args any) (text string, failed bool) {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err.Error(), true
	}
	for _, x := range r.Content {
		text += x.(*mcp.TextContent).Text + "\n"
	}
	return text, r.IsError
}

type object = map[string]any

func TestMCPOffersFiveVerbs(t *testing.T) {
	t.Chdir(t.TempDir())
	c := session(t, &mcpFlags{store: "store"})
	list, err := c.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 5 {
		t.Fatalf("%d tools, %v", len(list.Tools), err)
	}
	for _, x := range []struct {
		tool string
		args object
		says string
	}{
		{"run", object{"impl": "setnx-del-expired", "nemesis": "pause", "seed": 654602112},
			"exit code 1"},
		{"run", object{"impl": "setpx-del", "nemesis": "pause"}, `"do": "Delete the key only if`},
		{"check", object{"dir": "store/latest"}, `"verdict": "violated"`},
		{"report", object{"dir": "store/latest"}, "report.html"},
		{"explore", object{"impl": "token-lua", "nemesis": "none", "seeds": 10}, `"runs": 10`},
		{"choose", object{"faults": []string{"crash"}}, `"remains": true`},
	} {
		if text, failed := ask(t, c, x.tool, x.args); failed || !strings.Contains(text, x.says) {
			t.Errorf("%s: failed %v, want %q in\n%.900s", x.tool, failed, x.says, text)
		}
	}
}

// TestMCPRunsNothingThatItsStartDoesNotAllow has adapters elsewhere and by name, files, and flags
// in the place of values.
func TestMCPRunsNothingThatItsStartDoesNotAllow(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	manifest := "name: mine\nrun: [\"{src}/a\"]\nsetup: [[touch, x]]\n"
	for _, dir := range []string{"locks/mine", "other/mine"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		err := os.WriteFile(filepath.Join(dir, "adapter.yaml"), []byte(manifest), 0o644)
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../other/mine", "locks/link"); err != nil {
		t.Fatal(err)
	}
	c := session(t, &mcpFlags{store: "store", adapters: []string{"locks"}})
	for _, x := range []struct {
		tool string
		args object
		says string
	}{
		{"run", object{"adapter": "locks/mine"}, "is not set up"},
		{"run", object{"adapter": "other/mine"}, "is not in a directory"},
		{"run", object{"adapter": "locks/../other/mine"}, "is not in a directory"},
		{"run", object{"adapter": "locks/link"}, "is not in a directory"},
		{"run", object{"adapter": "redis-py"}, "no such file"},
		{"explore", object{"adapter": "other/mine"}, "is not in a directory"},
		{"run", object{"impl": "token-lua", "nemesis": "./mine.yaml"}, "name a fault, not a file"},
		{"run", object{"impl": "token-lua", "env": "external"}, "it is sim or process"},
		{"run", object{"impl": "token-lua", "addr": "10.0.0.1:6379"}, "addr"},
		{"run", object{}, "name a lock"},
		{"check", object{"dir": "locks/mine"}, "is not in the store"},
		{"report", object{"dir": "/etc"}, "is not in the store"},
		{"check", object{"dir": "--help"}, "no such file"},
	} {
		if text, failed := ask(t, c, x.tool, x.args); !failed || !strings.Contains(text, x.says) {
			t.Errorf("%s %v: failed %v, want %q in\n%.500s", x.tool, x.args, failed, x.says, text)
		}
	}
}
