package mutate

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
)

// goOperators lists the operators on Go code. Each looks at one node and records the mutants that
// change it.
var goOperators = []func(p *place, n ast.Node){
	(*place).dropArgument, (*place).scaleNumber, (*place).conditions, (*place).values,
	(*place).commands, (*place).statements, (*place).constants, (*place).swallow, (*place).offByOne,
	(*place).otherClock,
}

// senders maps the functions that send a command to Redis to the number of arguments before the
// command: the context and the name or script.
var senders = map[string]int{"Do": 2, "send": 2, "sendTo": 3, "eval": 3, "Eval": 3}

// sends returns the call in an expression that sends a command, or nil. It does not look into
// function literals.
func sends(n ast.Node) (found *ast.CallExpr) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.FuncLit, *ast.BlockStmt:
			return false
		case *ast.CallExpr:
			if _, ok := senders[called(x)]; ok && found == nil {
				found = x
			}
		}
		return found == nil
	})
	return found
}

// called returns the name of the function or method that is called.
func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

// arguments returns the arguments of the command that a call sends, without its name.
func arguments(n ast.Node) []ast.Expr {
	c, ok := n.(*ast.CallExpr)
	if !ok || c.Ellipsis != token.NoPos {
		return nil
	}
	fixed, ok := senders[called(c)]
	if !ok || len(c.Args) <= fixed {
		return nil
	}
	return c.Args[fixed:]
}

// dropArgument sends a command without one of its arguments.
func (p *place) dropArgument(n ast.Node) {
	for _, a := range arguments(n) {
		c := n.(*ast.CallExpr)
		before := c.Args[slices.Index(c.Args, a)-1]
		old := p.src(c)
		text := apply(old, []edit{{p.offset(before.End()) - p.offset(c.Pos()),
			p.offset(a.End()) - p.offset(c.Pos()), ""}})
		p.note(DropArgument, a.Pos(), old, text, edit{p.offset(before.End()), p.offset(a.End()), ""})
	}
}

// scaled lists the methods of a time that return a number without a unit.
var scaled = []string{"Milliseconds", "Seconds"}

// scaleNumber multiplies and divides a time or a number by ten.
func (p *place) scaleNumber(n ast.Node) {
	switch x := n.(type) {
	case *ast.CallExpr:
		if slices.Contains(scaled, called(x)) && len(x.Args) == 0 {
			p.scale(x)
		}
	case *ast.SelectorExpr:
		if _, part := p.parent().(*ast.SelectorExpr); !part && p.kind(x) == "time.Duration" &&
			!p.assigned(x) {
			p.scale(x)
		}
	case *ast.BasicLit:
		if v, err := strconv.Atoi(x.Value); err == nil && v >= 2 {
			p.instead(ScaleNumber, x, strconv.Itoa(v*10))
		}
	}
}

func (p *place) scale(e ast.Expr) {
	for _, by := range []string{" * 10", " / 10"} {
		text := p.src(e) + by
		if _, ok := p.parent().(*ast.BinaryExpr); ok {
			text = "(" + text + ")"
		}
		p.instead(ScaleNumber, e, text)
	}
}

// assigned reports whether a statement assigns to an expression.
func (p *place) assigned(e ast.Expr) bool {
	a, ok := p.parent().(*ast.AssignStmt)
	return ok && slices.Contains(a.Lhs, e)
}

// kind returns the type of an expression as source text.
func (p *place) kind(e ast.Expr) string {
	t := p.info.Types[e].Type
	if t == nil {
		if id, ok := e.(*ast.Ident); ok && p.info.Uses[id] != nil {
			t = p.info.Uses[id].Type()
		}
	}
	if t == nil {
		return ""
	}
	return types.TypeString(t, nil)
}

// opposite maps a comparison to its negation. Loose maps it to the comparison that treats equality
// the other way.
var (
	opposite = map[token.Token]string{token.EQL: "!=", token.NEQ: "==", token.LSS: ">=",
		token.GEQ: "<", token.GTR: "<=", token.LEQ: ">"}
	loose = map[token.Token]string{token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">"}
)

// conditions negates and drops the conditions of if, case and for.
func (p *place) conditions(n ast.Node) {
	switch x := n.(type) {
	case *ast.IfStmt:
		p.condition(x.Cond, "false")
	case *ast.ForStmt:
		if x.Cond != nil {
			p.condition(x.Cond, "true")
		}
	case *ast.CaseClause:
		for _, e := range x.List {
			if p.kind(e) == "bool" || p.kind(e) == "untyped bool" {
				p.condition(e, "false")
			}
		}
	}
}

// condition negates and drops each part of a condition. A condition that has a single part is
// dropped by replacing it with the constant alone.
func (p *place) condition(e ast.Expr, alone string) {
	if b, ok := e.(*ast.BinaryExpr); ok && (b.Op == token.LAND || b.Op == token.LOR) {
		p.replace(DropComparison, b.Pos(), b.End(), p.src(b.Y))
		p.replace(DropComparison, b.Pos(), b.End(), p.src(b.X))
		p.condition(b.X, "")
		p.condition(b.Y, "")
		return
	}
	p.negate(e)
	if alone != "" {
		p.instead(DropComparison, e, alone)
	}
}

func (p *place) negate(e ast.Expr) {
	switch x := e.(type) {
	case *ast.BinaryExpr:
		if op, ok := opposite[x.Op]; ok {
			p.instead(Negate, x, p.src(x.X)+" "+op+" "+p.src(x.Y))
		}
	case *ast.UnaryExpr:
		p.instead(Negate, x, p.src(x.X))
	default:
		p.instead(Negate, x, "!"+p.src(x))
	}
}

// values negates and drops comparisons that are returned, assigned or passed to a call.
func (p *place) values(n ast.Node) {
	var values []ast.Expr
	switch x := n.(type) {
	case *ast.ReturnStmt:
		values = x.Results
	case *ast.AssignStmt:
		values = x.Rhs
	case *ast.CallExpr:
		values = x.Args
	}
	for _, v := range values {
		if b, ok := v.(*ast.BinaryExpr); ok && (opposite[b.Op] != "" || b.Op == token.LAND ||
			b.Op == token.LOR) {
			p.condition(b, "true")
		}
	}
}

// commands drops a command and replaces its result by a success.
func (p *place) commands(n ast.Node) {
	e, ok := n.(*ast.CallExpr)
	if !ok || sends(e) == nil || p.inChain() {
		return
	}
	done := map[string]string{"error": "error(nil)", "(int, error)": "1, error(nil)",
		"(int64, error)": "int64(1), error(nil)", "(string, error)": `"", error(nil)`}
	if text, ok := done[p.kind(e)]; ok {
		p.instead(DropCommand, e, text)
	}
}

// inChain reports whether a call is only the start of a chain, as a.Do() is in a.Do().Err().
func (p *place) inChain() bool {
	_, ok := p.parent().(*ast.SelectorExpr)
	return ok
}

// statements drops, moves and repeats whole statements.
func (p *place) statements(n ast.Node) {
	var list []ast.Stmt
	switch x := n.(type) {
	case *ast.BlockStmt:
		list = x.List
	case *ast.CaseClause:
		list = x.Body
	}
	for i, s := range list {
		if c := sends(s); c != nil {
			p.note(RepeatCommand, c.Pos(), p.src(c), p.src(c)+"; "+p.src(c),
				edit{p.offset(s.Pos()), p.offset(s.Pos()), p.src(c) + "; "})
		}
		if i > 0 && (sends(s) != nil || sends(list[i-1]) != nil) && !leaves(s) && !leaves(list[i-1]) {
			before := list[i-1]
			p.note(MoveCommand, s.Pos(), short(p.src(before))+" ¶ "+short(p.src(s)),
				short(p.src(s))+" ¶ "+short(p.src(before)),
				edit{p.offset(before.Pos()), p.offset(before.End()), p.src(s)},
				edit{p.offset(s.Pos()), p.offset(s.End()), p.src(before)})
		}
		p.drop(s)
	}
}

// drop removes a statement that declares nothing.
func (p *place) drop(s ast.Stmt) {
	switch x := s.(type) {
	case *ast.ExprStmt, *ast.DeferStmt:
		p.instead(DropCall, s, "")
	case *ast.IncDecStmt:
		p.instead(DropAssignment, s, "")
	case *ast.AssignStmt:
		if x.Tok != token.DEFINE {
			p.instead(DropAssignment, s, "")
		}
	}
}

func leaves(s ast.Stmt) bool {
	_, ok := s.(*ast.ReturnStmt)
	return ok
}

// shortest is the largest number of characters of a statement in a list.
const shortest = 60

func short(s string) string {
	s = oneLine(s)
	if r := []rune(s); len(r) > shortest {
		return string(r[:shortest]) + " …"
	}
	return s
}

// constants replaces a variable value by a constant, in a command or an assignment.
func (p *place) constants(n ast.Node) {
	values := arguments(n)
	switch x := n.(type) {
	case *ast.KeyValueExpr:
		values = append(values, x.Value)
	case *ast.AssignStmt:
		values = append(values, x.Rhs...)
	}
	for _, v := range values {
		if p.info.Types[v].Value != nil {
			continue // the value is constant already
		}
		if c, ok := v.(*ast.CallExpr); ok && called(c) == "Key" {
			continue // all clients of a run use the same key
		}
		switch p.kind(v) {
		case "string":
			p.instead(ConstantForOne, v, `"1"`)
		case "int", "int64", "float64":
			p.instead(ConstantForOne, v, "1")
		}
	}
}

// swallow returns nil instead of an error.
func (p *place) swallow(n ast.Node) {
	r, ok := n.(*ast.ReturnStmt)
	if !ok {
		return
	}
	for _, e := range r.Results {
		id, name := e.(*ast.Ident)
		if name && id.Name == "nil" || sends(e) != nil {
			continue
		}
		if p.kind(e) == "error" {
			p.instead(SwallowError, e, "nil")
		}
	}
}

// offByOne moves a bound by one or changes how it treats equality.
func (p *place) offByOne(n ast.Node) {
	switch x := n.(type) {
	case *ast.BinaryExpr:
		if op, ok := loose[x.Op]; ok {
			p.instead(OffByOne, x, fmt.Sprintf("%s %s %s", p.src(x.X), op, p.src(x.Y)))
		}
	case *ast.BasicLit:
		_, compared := p.parent().(*ast.BinaryExpr)
		if v, err := strconv.Atoi(x.Value); err == nil && compared {
			p.instead(OffByOne, x, strconv.Itoa(v+1))
		}
	}
}

// otherClock swaps the wall clock and the monotonic clock.
func (p *place) otherClock(n ast.Node) {
	c, ok := n.(*ast.CallExpr)
	if !ok || len(c.Args) > 0 {
		return
	}
	f, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	switch clock := map[string]string{"Elapsed": "wallClock", "Now": "monotonicClock"}; {
	case clock[f.Sel.Name] != "":
		p.instead(OtherClock, c, clock[f.Sel.Name]+"("+p.src(f.X)+")")
	}
}
