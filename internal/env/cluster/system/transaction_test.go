package system

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker/repair"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
)

// accounts is what the printed transaction needs.
const accounts = "create table locks (name varchar(20) primary key); " +
	"create table account (id int primary key, balance int); insert into account values (1, 0); "

// TestThePrintedTransactionLocksItsRow has both databases carry out the SQL of the repair "one
// transaction". A second session finds the row locked until the commit. A row that was not inserted
// is not locked.
func TestThePrintedTransactionLocksItsRow(t *testing.T) {
	sql := printedTransaction(t)
	for _, name := range []string{"postgres", "mariadb"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testenv.Part(t, name)
			c := running(t, name)
			use, rest := "", "select pg_sleep(600);"
			if name == "mariadb" {
				use, rest = "create database if not exists test; use test; ", "select sleep(600);"
			}
			if err := asClient(c, use+accounts+strings.Join(sql, "\n")); err != nil {
				t.Fatal(err)
			}
			if asClient(c, use+"alter table account add check (balance <> 5)") == nil {
				t.Error("the transaction did not write")
			}
			missing := strings.ReplaceAll(sql[2], "'a'", "'missing'")
			holder := strings.Join([]string{sql[1], missing, sql[2], rest}, "\n")
			go func() { _ = asClient(c, use+holder) }() // until its server is killed
			for limit := time.Now().Add(time.Minute); !locked(c, use, "a"); {
				if time.Now().After(limit) {
					t.Fatal("another session does not find the row locked")
				}
			}
			if locked(c, use, "missing") {
				t.Error("a row that is missing is locked: the INSERT is not needed")
			}
		})
	}
}

// locked reports whether another session cannot lock a row at once.
func locked(c server.NodeConfig, use, row string) bool {
	look := "begin; select 1 from locks where name = '" + row + "' for update nowait"
	return asClient(c, use+look) != nil
}

// printedTransaction returns the lines of SQL of the repair, with values in their places.
func printedTransaction(t *testing.T) (sql []string) {
	t.Helper()
	i := slices.IndexFunc(repair.Rows(), func(r repair.Row) bool {
		return r.Name == "one transaction"
	})
	if i < 0 {
		t.Fatal("there is no such repair")
	}
	values := strings.NewReplacer("<name>", "'a'", "<id>", "1", "<n>", "5")
	for _, line := range repair.Rows()[i].Code {
		sql = append(sql, values.Replace(line))
	}
	return sql
}
