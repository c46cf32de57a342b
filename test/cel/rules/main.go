// rules writes what Kubernetes' validator of x-kubernetes-validations says in its own tests, one JSON object a line:
//
//	go run ./rules | zstd -19 -f -o ../unit/cel/data/rules.jsonl.zst
//
//	{"schema": .., "resource": bool, "value": .., "before": .., "limit": cost of a call, "budget": cost of all,
//	 "errors": [[type, field, detail], ..], "left": cost}
//
//	go run ./rules costs | zstd -19 -f -o ../unit/cel/data/costs.jsonl.zst
//
//	{"schema": .., "resource": bool, "rule": .., "optional": whether oldSelf is, "message": .., "cost": estimate, "message_cost": estimate, "values": most}
//
// The tests have their cases in variables of functions. So they are run with a validator that also writes what it is given and what it
// answers. Errors are sorted, because the members of an object have no order.
package main

import (
	"bufio"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	// The imports of the tested package and of its tests.
	_ "github.com/stretchr/testify/assert"
	_ "github.com/stretchr/testify/require"
	_ "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	_ "k8s.io/component-base/featuregate/testing"
	_ "k8s.io/klog/v2"
	_ "k8s.io/kube-openapi/pkg/validation/strfmt"
	_ "k8s.io/utils/ptr"
)

const tested = "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"

// recorder is added to the tested package.
const recorder = `package cel

import (
	"encoding/json"
	"os"
	"sort"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var (
	recordLock   sync.Mutex
	recordLimits = map[*schema.Structural]uint64{}
)

func recordLimit(s *schema.Structural, limit uint64) {
	recordLock.Lock()
	defer recordLock.Unlock()
	recordLimits[s] = limit
}

func record(s *Validator, path *field.Path, obj, old interface{}, budget int64, ratchets bool, errs field.ErrorList, left int64) {
	if s == nil || s.Schema == nil {
		return
	}
	recordLock.Lock()
	defer recordLock.Unlock()
	found := [][3]string{}
	for _, e := range errs {
		found = append(found, [3]string{string(e.Type), e.Field, e.ErrorBody()})
	}
	sort.Slice(found, func(i, j int) bool { return found[i][1]+found[i][2] < found[j][1]+found[j][2] })
	line, err := json.Marshal(map[string]interface{}{
		"schema": s.Schema.ToKubeOpenAPI(), "resource": s.isResourceRoot, "value": obj, "before": old, "ratchets": ratchets,
		"limit": recordLimits[s.Schema], "budget": budget, "errors": found, "left": left, "path": path.String(),
	})
	if err != nil || len(line) > 20000 {
		return
	}
	file, err := os.OpenFile(os.Getenv("CEL_RECORD"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	file.Write(append(line, '\n'))
}
`

// costRecorder is added as well.
const costRecorder = `package cel

import (
	"encoding/json"
	"os"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

func recordCost(s *schema.Structural, d *apiservercel.DeclType, rule apiextensions.ValidationRule, found CompilationResult) {
	if found.Error != nil || found.Program == nil {
		return
	}
	recordLock.Lock()
	defer recordLock.Unlock()
	_, seen := d.Fields["apiVersion"]
	_, own := s.Properties["apiVersion"]
	line, err := json.Marshal(map[string]interface{}{
		"schema": s.ToKubeOpenAPI(), "resource": seen && !own, "rule": rule.Rule, "cost": found.MaxCost, "values": found.MaxCardinality,
		"optional": rule.OptionalOldSelf, "message": rule.MessageExpression, "message_cost": found.MessageExpressionMaxCost,
	})
	if err != nil || len(line) > 20000 {
		return
	}
	file, err := os.OpenFile(os.Getenv("CEL_RECORD")+".costs", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	file.Write(append(line, '\n'))
}
`

// changes are made in the validator itself, and in its compiler.
var changes = [][2]string{
	{"	return s.validate(ctx, fldPath, obj, oldObj, opt.ratchetingOptions, costBudget)\n}",
		"	errs, remainingBudget = s.validate(ctx, fldPath, obj, oldObj, opt.ratchetingOptions, costBudget)\n" +
			"	record(s, fldPath, obj, oldObj, costBudget, opt.currentCorrelation != nil, errs, remainingBudget)\n" +
			"	return errs, remainingBudget\n}"},
	{"	compilationSchema := *nodeSchema\n", "	recordLimit(nodeSchema, perCallLimit)\n	compilationSchema := *nodeSchema\n"},
}

var compilerChanges = [][2]string{
	{"estimator, maxCardinality, perCallLimit)\n\t}\n\n\treturn compResults, nil",
		"estimator, maxCardinality, perCallLimit)\n\t\trecordCost(s, declType, rule, compResults[i])\n\t}\n\n\treturn compResults, nil"},
}

func main() {
	log.SetFlags(0)
	found, err := exec.Command("go", "list", "-f", "{{.Dir}}", tested).Output()
	if err != nil {
		log.Fatal(err)
	}
	// A copy inside of this module, so that it finds its imports.
	dir, err := os.MkdirTemp(".", "copied")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(found)), "*.go"))
	if err != nil {
		log.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		if filepath.Base(file) == "validation.go" {
			text = changed(text, changes)
		}
		if filepath.Base(file) == "compilation.go" {
			text = changed(text, compilerChanges)
		}
		write(filepath.Join(dir, filepath.Base(file)), string(text))
	}
	write(filepath.Join(dir, "recorder.go"), recorder)
	write(filepath.Join(dir, "cost_recorder.go"), costRecorder)
	lines, err := filepath.Abs(filepath.Join(dir, "lines"))
	if err != nil {
		log.Fatal(err)
	}
	run := exec.Command("go", "test", "-count=1", "./"+dir)
	run.Env = append(os.Environ(), "CEL_RECORD="+lines)
	run.Stdout, run.Stderr = os.Stderr, os.Stderr
	if err := run.Run(); err != nil {
		log.Print("some tests of Kubernetes fail: ", err)
	}
	if len(os.Args) > 1 && os.Args[1] == "costs" {
		lines += ".costs"
	}
	print(lines)
}

func changed(text []byte, changes [][2]string) []byte {
	out := string(text)
	for _, change := range changes {
		if !strings.Contains(out, change[0]) {
			log.Fatalf("the package no longer has %q", change[0])
		}
		out = strings.Replace(out, change[0], change[1], 1)
	}
	return []byte(out)
}

func write(name, text string) {
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		log.Fatal(err)
	}
}

// print writes each line once, sorted, so that a second run writes the same.
func print(name string) {
	text, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	// Names of types have a random number.
	text = regexp.MustCompile("selfType[0-9]+").ReplaceAll(text, []byte("selfType"))
	seen := map[string]bool{}
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if !seen[line] {
			seen[line] = true
			lines = append(lines, line)
		}
	}
	sort.Strings(lines)
	out := bufio.NewWriter(os.Stdout)
	for _, line := range lines {
		out.WriteString(line + "\n")
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}
