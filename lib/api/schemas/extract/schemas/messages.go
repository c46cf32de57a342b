package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"kubecoro/lib/api/schemas/extract/internal/kinds"
)

// A form is how a type with a JSON encoding of its own looks, and its fields on the wire, which its Go type does not show.
type form struct {
	name   string
	fields [][]any
}

var schemaName = name(reflect.TypeFor[apiextensionsv1.JSONSchemaProps]())

var (
	time    = [][]any{{1, "seconds", "int64"}, {2, "nanos", "int32"}}
	rawJSON = form{"rawJSON", [][]any{{1, "raw", "bytes"}}}
)

var forms = map[reflect.Type]form{
	reflect.TypeFor[resource.Quantity]():                      {"quantity", [][]any{{1, "string", "string"}}},
	reflect.TypeFor[intstr.IntOrString]():                     {"intOrString", [][]any{{1, "type", "int64"}, {2, "intVal", "int32"}, {3, "strVal", "string"}}},
	reflect.TypeFor[metav1.Time]():                            {"time", time},
	reflect.TypeFor[metav1.MicroTime]():                       {"microTime", time},
	reflect.TypeFor[metav1.Duration]():                        {"duration", [][]any{{1, "duration", "int64"}}},
	reflect.TypeFor[metav1.FieldsV1]():                        rawJSON,
	reflect.TypeFor[runtime.RawExtension]():                   rawJSON,
	reflect.TypeFor[apiextensionsv1.JSON]():                   rawJSON,
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrArray](): {"schemaOrArray", [][]any{{1, "schema", "*" + schemaName}, {2, "jSONSchemas", "[]" + schemaName}}},
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrBool]():  {"schemaOrBool", [][]any{{1, "allows", "bool"}, {2, "schema", "*" + schemaName}}},
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrStringArray](): {"schemaOrStrings",
		[][]any{{1, "schema", "*" + schemaName}, {2, "property", "[]string"}}},
}

// messages collects the messages that are reachable from the kinds.
type messages struct {
	rows     map[reflect.Type]*messageRow
	merging  merging
	problems []string
}

// name returns the name that a type has in OpenAPI documents.
func name(t reflect.Type) string {
	return "io.k8s." + strings.ReplaceAll(strings.TrimPrefix(t.PkgPath(), "k8s.io/"), "/", ".") + "." + t.Name()
}

func (m *messages) problem(t reflect.Type, format string, values ...any) {
	m.problems = append(m.problems, name(t)+": "+fmt.Sprintf(format, values...))
}

// add describes a type and all types in it, and returns its name.
func (m *messages) add(t reflect.Type) string {
	if _, known := m.rows[t]; known {
		return name(t)
	}
	row := &messageRow{Name: name(t), Fields: [][]any{}, Atomic: m.merging.atomic(name(t))}
	m.rows[t] = row
	if f, is := forms[t]; is {
		row.Form, row.Fields = f.name, f.fields
	} else if t.Kind() == reflect.Slice { // a list that is a message of its own
		row.Form, row.Fields = "array", [][]any{{1, "items", "[]" + m.value(t, t.Elem())}}
	} else if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()) {
		m.problem(t, "its JSON form is not known")
	} else {
		m.structure(t, row)
	}
	return row.Name
}

func (m *messages) structure(t reflect.Type, row *messageRow) {
	for i := range t.NumField() {
		field := t.Field(i)
		internal := !field.IsExported() || field.Tag.Get("json") == "-" && field.Tag.Get("protobuf") == ""
		if field.Type == reflect.TypeFor[metav1.TypeMeta]() || internal { // the envelope has the kind
			continue
		}
		if columns := m.field(t, field); columns != nil {
			row.Fields = append(row.Fields, columns)
		}
	}
	slices.SortFunc(row.Fields, func(a, b []any) int { return a[0].(int) - b[0].(int) })
}

// field returns the columns of a field: number, name, type, options, patch strategy, patch merge key, merging.
func (m *messages) field(owner reflect.Type, field reflect.StructField) []any {
	tag := strings.Split(field.Tag.Get("protobuf"), ",")
	if len(tag) < 2 {
		m.problem(owner, "%s has no protobuf tag", field.Name)
		return nil
	}
	number, err := strconv.Atoi(tag[1])
	if err != nil {
		m.problem(owner, "%s: %v", field.Name, err)
	}
	named, rest, _ := strings.Cut(field.Tag.Get("json"), ",")
	options := strings.Split(rest, ",")
	for _, option := range options {
		if !slices.Contains([]string{"", "omitempty", "omitzero", "inline"}, option) {
			m.problem(owner, "%s: unknown option %q", field.Name, option)
		}
	}
	if slices.Contains(options, "inline") || field.Anonymous && named == "" {
		named, options = "", []string{"inline"}
	} else if named == "" || named == "-" {
		m.problem(owner, "%s has no name in JSON", field.Name)
	}
	if named == "" { // merging describes inlined fields as the owner's
		m.merging.alias(field.Type, owner)
	}
	columns := []any{number, named, m.typeOf(owner, field.Type), strings.Join(options, ","), field.Tag.Get("patchStrategy"), field.Tag.Get("patchMergeKey"), m.merging.rule(name(owner), named)}
	for columns[len(columns)-1] == "" {
		columns = columns[:len(columns)-1]
	}
	return columns
}

// typeOf describes the type of a field. The tag's wire type is not used: it is wrong for some fields.
func (m *messages) typeOf(owner, t reflect.Type) string {
	switch {
	case t.Kind() == reflect.Pointer:
		return "*" + m.typeOf(owner, t.Elem())
	case kinds.IsMessage(t) || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return m.value(owner, t)
	case t.Kind() == reflect.Slice:
		return "[]" + m.value(owner, t.Elem())
	case t.Kind() == reflect.Map && t.Key().Kind() == reflect.String:
		return "map[string]" + m.value(owner, t.Elem())
	default:
		return m.value(owner, t)
	}
}

func (m *messages) value(owner, t reflect.Type) string {
	switch {
	case kinds.IsMessage(t):
		return m.add(t)
	case t.Kind() == reflect.String:
		return "string"
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return "bytes"
	case t.Kind() == reflect.Int32:
		return "int32"
	case t.Kind() == reflect.Int64:
		return "int64"
	case t.Kind() == reflect.Bool:
		return "bool"
	case t.Kind() == reflect.Float64:
		return "double"
	}
	m.problem(owner, "no description of %s", t)
	return ""
}
