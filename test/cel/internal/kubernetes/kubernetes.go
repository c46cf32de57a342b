// Package kubernetes evaluates expressions as a kube-apiserver does those that it has stored.
package kubernetes

import (
	"log"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"

	"kubecoro/test/cel/internal/write"
)

// Outcome is the issue of a compilation, or a type and a value or an error, and the cost of it.
type Outcome struct {
	Issue string `json:"issue,omitempty"`
	Type  string `json:"type,omitempty"`
	Value string `json:"value,omitempty"`
	Error string `json:"error,omitempty"`
	Cost  uint64 `json:"cost,omitempty"`
	// Whether the cost depends on the order of a map.
	Varies bool `json:"varies,omitempty"`
}

// Env is the environment of the version in go.mod.
func Env() *cel.Env {
	env, err := environment.MustBaseEnvSet(version.MajorMinor(1, 37)).Env(environment.StoredExpressions)
	if err != nil {
		log.Fatal(err)
	}
	return env
}

// Evaluate is nil for values that have no text.
func Evaluate(env *cel.Env, text string, activation map[string]any) (result *Outcome) {
	compiled, issues := env.Compile(text)
	if issues.Err() != nil {
		return &Outcome{Issue: issues.String()}
	}
	result = &Outcome{Type: compiled.OutputType().String()}
	defer func() {
		if r := recover(); r != nil {
			result = nil
		}
	}()
	program, err := env.Program(compiled, cel.CostLimit(1_000_000))
	if err != nil {
		result.Error = "program: " + err.Error()
		return result
	}
	// Maps have no order in Go: what depends on it differs from run to run.
	first := run(program, activation)
	for i := 0; i < 60; i++ {
		again := run(program, activation)
		if again.value != first.value || (again.err == "") != (first.err == "") {
			return nil
		}
		result.Varies = result.Varies || again.cost != first.cost
	}
	if result.Error = first.err; result.Error == "" {
		if result.Value = first.value; result.Value == "" {
			return nil
		}
	}
	if !result.Varies {
		result.Cost = first.cost
	}
	return result
}

type once struct {
	value string
	err   string
	cost  uint64
}

func run(program cel.Program, activation map[string]any) (out once) {
	value, details, err := program.Eval(activation)
	if details != nil && details.ActualCost() != nil {
		out.cost = *details.ActualCost()
	}
	if err != nil {
		out.err = err.Error()
		return out
	}
	out.value, _ = write.Value(value)
	return out
}
