// validations writes what the API server says of values of custom resources, one JSON object a line:
//
//	go run ./validations >../../../../test/unit/api/data/validations.jsonl
//
//	{"schema": .., "value": .., "errors": [[reason, field, message], ..], "unknown": [path, ..], "settled": value}
//	{"schema": .., "before": .., "value": .., "errors": ..}
//	{"format": name, "text": .., "fits": bool}
//	{"pattern": .., "text": .., "fits": bool}, or "problem" for one that does not compile
//
// Errors are sorted, because the server goes through the members of an object in no order. "settled" is the value without unknown
// fields and with defaults.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"log"
	"os"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

var out = bufio.NewWriter(os.Stdout)

func main() {
	log.SetFlags(0)
	for _, c := range cases {
		s := compile(c.schema)
		for _, text := range c.values {
			check(s, text)
		}
		for _, pair := range c.updates {
			checkUpdate(s, pair[0], pair[1])
		}
	}
	for _, name := range sortedKeys(formats) {
		for _, text := range append(slices.Clone(formats[name]), odd...) {
			write(map[string]any{"format": name, "text": text, "fits": strfmt.Default.Validates(name, text)})
		}
	}
	for _, expression := range patterns {
		compiled, err := regexp.Compile(expression)
		if err != nil {
			write(map[string]any{"pattern": expression, "problem": err.Error()})
			continue
		}
		for _, text := range texts {
			write(map[string]any{"pattern": expression, "text": text, "fits": compiled.MatchString(text)})
		}
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}

type compiled struct {
	text      string
	validator validation.SchemaValidator
	shape     *structural.Structural
}

func compile(text string) compiled {
	var props v1.JSONSchemaProps
	if err := json.Unmarshal([]byte(text), &props); err != nil {
		log.Fatalf("%s: %v", text, err)
	}
	var internal apiextensions.JSONSchemaProps
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&props, &internal, nil); err != nil {
		log.Fatalf("%s: %v", text, err)
	}
	validator, _, err := validation.NewSchemaValidator(&internal)
	if err != nil {
		log.Fatalf("%s: %v", text, err)
	}
	shape, err := structural.NewStructural(&internal)
	if err != nil {
		log.Fatalf("%s: %v", text, err)
	}
	return compiled{text, validator, shape}
}

func parse(text string) any {
	var v any
	if err := utiljson.Unmarshal([]byte(text), &v); err != nil {
		log.Fatalf("%s: %v", text, err)
	}
	return v
}

// structure has the rules that are not JSON Schema's.
func structure(s compiled, v any) field.ErrorList {
	errs := objectmeta.Validate(context.Background(), nil, v, s.shape, false)
	if object, ok := v.(map[string]any); ok {
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.shape, object)...)
	}
	return errs
}

func check(s compiled, text string) {
	v := parse(text)
	errs := append(validation.ValidateCustomResource(nil, v, s.validator), structure(s, v)...)
	settled := parse(text)
	unknown := pruning.PruneWithOptions(settled, s.shape, true, structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	defaulting.Default(settled, s.shape)
	write(map[string]any{"schema": json.RawMessage(s.text), "value": json.RawMessage(text), "errors": rows(errs), "unknown": unknown, "settled": settled})
}

func checkUpdate(s compiled, before, text string) {
	v, old := parse(text), parse(before)
	errs := validation.ValidateCustomResourceUpdate(nil, v, old, s.validator, validation.WithRatcheting(nil))
	write(map[string]any{"schema": json.RawMessage(s.text), "before": json.RawMessage(before), "value": json.RawMessage(text), "errors": rows(errs)})
}

func rows(errs field.ErrorList) [][]string {
	all := [][]string{}
	for _, e := range errs {
		all = append(all, []string{string(e.Type), e.Field, e.ErrorBody()})
	}
	slices.SortFunc(all, func(a, b []string) int { return strings.Compare(strings.Join(a, "\n"), strings.Join(b, "\n")) })
	return all
}

func sortedKeys(m map[string][]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func write(row map[string]any) {
	text, err := json.Marshal(row)
	if err != nil {
		log.Fatal(err)
	}
	out.Write(text)
	out.WriteByte('\n')
}
