package main

import (
	"math/rand/v2"
	"reflect"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// filler fills values of any type with small random values from a limited vocabulary, so that the samples compress well.
type filler struct {
	*rand.Rand
	// chance is the probability that an optional value is present.
	chance float64
}

// Deeper than this, optional values stay absent; recursive types end here.
const maxDepth = 9

func (f *filler) present(depth int) bool {
	return depth < maxDepth && f.Float64() < f.chance
}

func pick[T any](f *filler, values []T) T { return values[f.IntN(len(values))] }

// fill sets a value. Depth counts the pointers, lists and maps around it.
func (f *filler) fill(v reflect.Value, depth int) {
	if f.special(v, depth) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		f.fields(v, depth)
	case reflect.Pointer:
		if f.present(depth) {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		f.slice(v, depth)
	case reflect.Map:
		f.mapping(v, depth)
	case reflect.String:
		v.SetString(f.text())
	case reflect.Int32:
		v.SetInt(int64(pick(f, int32s)))
	case reflect.Int64, reflect.Int:
		v.SetInt(pick(f, int64s))
	case reflect.Float64:
		v.SetFloat(pick(f, doubles))
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	default:
		panic("no values for " + v.Type().String())
	}
}

func (f *filler) fields(v reflect.Value, depth int) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.IsExported() && field.Type != reflect.TypeFor[metav1.TypeMeta]() && field.Tag.Get("protobuf") != "-" {
			f.fill(v.Field(i), depth)
		}
	}
}

func (f *filler) slice(v reflect.Value, depth int) {
	if !f.present(depth) {
		if f.IntN(4) == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		return
	}
	if v.Type().Elem().Kind() == reflect.Uint8 {
		v.SetBytes([]byte(pick(f, blobs)))
		return
	}
	n := 1
	if depth < 3 && f.chance < 1 {
		n += f.IntN(3)
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		f.fill(v.Index(i), depth+1)
	}
}

func (f *filler) mapping(v reflect.Value, depth int) {
	if !f.present(depth) {
		if f.IntN(4) == 0 {
			v.Set(reflect.MakeMap(v.Type()))
		}
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for range 1 + f.IntN(3) {
		value := reflect.New(v.Type().Elem()).Elem()
		f.fill(value, depth+1)
		v.SetMapIndex(reflect.ValueOf(pick(f, mapKeys)).Convert(v.Type().Key()), value)
	}
}

func (f *filler) text() string {
	if f.IntN(60) == 0 {
		return pick(f, oddTexts)
	}
	return pick(f, texts)
}

// schema fills a schema sparsely: nearly all of its fields are optional, and most of them are schemas again.
func (f *filler) schema(s *apiextensionsv1.JSONSchemaProps, depth int) {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		switch v.Field(i).Kind() {
		case reflect.Map, reflect.Slice, reflect.Pointer:
			if f.IntN(2+2*depth) != 0 {
				continue
			}
		}
		f.fill(v.Field(i), depth+1)
	}
}
