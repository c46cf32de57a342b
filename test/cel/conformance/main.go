// conformance writes expressions with what cel-spec and Kubernetes say of them, one JSON object a line:
//
//	go run ./conformance | zstd -19 -f -o ../unit/cel/data/conformance.jsonl.zst
//
//	{"name": .., "expr": .., "bindings": {name: expression}, "spec": {"value": ..} or {"error": ..},
//	 "kubernetes": {"issue": ..} or {"type": .., "value": .., "error": .., "cost": ..}}
//
// The expressions are those of cel-spec's simple tests, and all that stand in tests of cel-go and of Kubernetes' own libraries under the
// name "expr". Kubernetes' part is what its environment for stored expressions does with them.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"cel.dev/expr"
	"cel.dev/expr/conformance/test"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/reflect/protoregistry"

	_ "cel.dev/expr/conformance/proto2"
	_ "cel.dev/expr/conformance/proto3"

	"kubecoro/test/cel/internal/kubernetes"
	"kubecoro/test/cel/internal/write"
)

type record struct {
	Name       string              `json:"name"`
	Expr       string              `json:"expr"`
	Bindings   map[string]string   `json:"bindings,omitempty"`
	Unchecked  bool                `json:"unchecked,omitempty"`
	Spec       *kubernetes.Outcome `json:"spec,omitempty"`
	Kubernetes *kubernetes.Outcome `json:"kubernetes,omitempty"`
}

// skippedFiles are those that test what Kubernetes does not have.
var skippedFiles = map[string]string{
	"block_ext":    "cel.block is made by optimisers",
	"encoders_ext": "Kubernetes has no base64 functions",
	"enums":        "enumerations of protobuf",
	"math_ext":     "Kubernetes has no math functions",
	"proto2":       "messages of protobuf",
	"proto2_ext":   "extensions of protobuf",
	"proto3":       "messages of protobuf",
	"unknowns":     "unknown values are for partial evaluation",
	"wrappers":     "wrapper messages of protobuf",
}

var out = json.NewEncoder(os.Stdout)

func main() {
	log.SetFlags(0)
	buffer := bufio.NewWriter(os.Stdout)
	out = json.NewEncoder(buffer)
	out.SetEscapeHTML(false)
	env := kubernetes.Env()
	seen := map[string]bool{}
	spec(env)
	for _, folder := range []struct{ module, path string }{
		{"github.com/google/cel-go", "ext"},
		{"github.com/google/cel-go", "interpreter"},
		{"github.com/google/cel-go", "parser"},
		{"k8s.io/apiserver", "pkg/cel/library"},
	} {
		fromTests(env, folder.module, folder.path, seen)
	}
	for _, text := range ours {
		write1(env, "ours", text, seen)
	}
	if err := buffer.Flush(); err != nil {
		log.Fatal(err)
	}
}

func moduleDir(module string) string {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		log.Fatal(err)
	}
	return strings.TrimSpace(string(dir))
}

func spec(env *cel.Env) {
	files, err := filepath.Glob(filepath.Join(moduleDir("cel.dev/expr"), "tests/simple/testdata/*.textproto"))
	if err != nil || len(files) == 0 {
		log.Fatal("no tests of cel-spec: ", err)
	}
	sort.Strings(files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".textproto")
		if skippedFiles[name] != "" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		var read test.SimpleTestFile
		if err := (prototext.UnmarshalOptions{Resolver: protoregistry.GlobalTypes}).Unmarshal(text, &read); err != nil {
			log.Fatal(file, ": ", err)
		}
		for _, section := range read.Section {
			for _, each := range section.Test {
				specTest(env, name+"/"+section.Name+"/"+each.Name, each)
			}
		}
	}
}

// specTest leaves out tests with messages, containers, or locales.
func specTest(env *cel.Env, name string, t *test.SimpleTest) {
	if t.Container != "" || t.DisableMacros || t.CheckOnly || t.Locale != "" || mentionsMessages(t.Expr) {
		return
	}
	r := record{Name: name, Expr: t.Expr, Bindings: map[string]string{}, Unchecked: t.DisableCheck, Spec: &kubernetes.Outcome{}}
	activation := map[string]any{}
	for key, bound := range t.Bindings {
		value, err := cel.ProtoAsValue(types.DefaultTypeAdapter, bound.GetValue())
		if err != nil {
			return
		}
		text, ok := write.Value(value)
		if !ok {
			return
		}
		r.Bindings[key] = text
		activation[key] = value
	}
	switch m := t.ResultMatcher.(type) {
	case *test.SimpleTest_Value:
		if !specValue(r.Spec, m.Value) {
			return
		}
	case *test.SimpleTest_TypedResult:
		if !specValue(r.Spec, m.TypedResult.Result) {
			return
		}
	case *test.SimpleTest_EvalError:
		r.Spec.Error = "error"
	case nil:
		r.Spec.Value = "true"
	default:
		return
	}
	var options []cel.EnvOption
	for _, declared := range t.TypeEnv {
		option, err := cel.ProtoAsDeclaration(declared)
		if err != nil {
			return
		}
		options = append(options, option)
	}
	extended, err := env.Extend(options...)
	if err == nil {
		r.Kubernetes = kubernetes.Evaluate(extended, t.Expr, activation)
	}
	emit(r)
}

func specValue(to *kubernetes.Outcome, from *expr.Value) bool {
	value, err := cel.ProtoAsValue(types.DefaultTypeAdapter, from)
	if err != nil {
		return false
	}
	text, ok := write.Value(value)
	to.Value = text
	return ok
}

func mentionsMessages(text string) bool {
	for _, word := range []string{"TestAllTypes", "google.protobuf.", "proto2", "proto3", "cel.expr"} {
		if strings.Contains(text, word) && !strings.Contains(text, "type(") {
			return true
		}
	}
	return strings.Contains(text, "TestAllTypes") || strings.Contains(text, "google.protobuf.") && strings.Contains(text, "{")
}

func emit(r record) {
	if err := out.Encode(r); err != nil {
		log.Fatal(err)
	}
}

func write1(env *cel.Env, name, text string, seen map[string]bool) {
	if seen[text] || len(text) > 10_000 {
		return
	}
	seen[text] = true
	if found := kubernetes.Evaluate(env, text, map[string]any{}); found != nil {
		emit(record{Name: name, Expr: text, Kubernetes: found})
	}
}

// fromTests finds the expressions in the tables of a folder's tests.
func fromTests(env *cel.Env, module, path string, seen map[string]bool) {
	files, err := filepath.Glob(filepath.Join(moduleDir(module), path, "*_test.go"))
	if err != nil || len(files) == 0 {
		log.Fatalf("no tests in %s of %s: %v", path, module, err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			log.Fatal(err)
		}
		name := fmt.Sprintf("%s/%s", filepath.Base(module), strings.TrimSuffix(filepath.Base(file), "_test.go"))
		ast.Inspect(parsed, func(n ast.Node) bool {
			pair, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			key, ok := pair.Key.(*ast.Ident)
			literal, ok2 := pair.Value.(*ast.BasicLit)
			if ok && ok2 && literal.Kind == token.STRING && (key.Name == "expr" || key.Name == "I" || key.Name == "in") {
				if text, err := strconv.Unquote(literal.Value); err == nil {
					write1(env, name, text, seen)
				}
			}
			return true
		})
	}
}
