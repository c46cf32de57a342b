// Package random fills API objects with random values that include the awkward ones.
package random

import (
	"math/rand/v2"
	"reflect"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Filler fills values of any type. Its vocabulary is small, so that what it makes compresses well and often collides.
type Filler struct {
	*rand.Rand
	// Chance is the probability that an optional value is present.
	Chance float64
	// Texts are used for all strings and MapKeys for the keys of maps; OddTexts now and then.
	Texts, OddTexts, MapKeys []string
	Int32s                   []int32
	// schemas counts the schemas around the present one.
	schemas int
}

// New returns a filler with the vocabulary of this package.
func New(source *rand.Rand, chance float64) *Filler {
	return &Filler{Rand: source, Chance: chance, Texts: texts, OddTexts: oddTexts, MapKeys: mapKeys, Int32s: int32s}
}

// Fill sets the fields of an object.
func (f *Filler) Fill(object any) { f.fill(reflect.ValueOf(object).Elem(), 0) }

// Deeper than this, optional values stay absent; recursive types end here.
const maxDepth = 9

func (f *Filler) present(depth int) bool {
	return depth < maxDepth && f.Float64() < f.Chance
}

func pick[T any](f *Filler, values []T) T { return values[f.IntN(len(values))] }

// fill sets a value. Depth counts the pointers, lists and maps around it.
func (f *Filler) fill(v reflect.Value, depth int) {
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
		v.SetInt(int64(pick(f, f.Int32s)))
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

func (f *Filler) fields(v reflect.Value, depth int) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.IsExported() && field.Type != reflect.TypeFor[metav1.TypeMeta]() && field.Tag.Get("protobuf") != "-" {
			f.fill(v.Field(i), depth)
		}
	}
}

func (f *Filler) slice(v reflect.Value, depth int) {
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
	if depth < 3 && f.Chance < 1 {
		n += f.IntN(3)
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		f.fill(v.Index(i), depth+1)
	}
}

func (f *Filler) mapping(v reflect.Value, depth int) {
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
		v.SetMapIndex(reflect.ValueOf(pick(f, f.MapKeys)).Convert(v.Type().Key()), value)
	}
}

func (f *Filler) text() string {
	if f.IntN(60) == 0 {
		return pick(f, f.OddTexts)
	}
	return pick(f, f.Texts)
}

// schema fills a schema, inner ones ever more sparsely: nearly all of its fields are optional, and many are schemas again.
func (f *Filler) schema(s *apiextensionsv1.JSONSchemaProps) {
	v := reflect.ValueOf(s).Elem()
	absent := 2 << (2 * f.schemas)
	f.schemas++
	for i := range v.NumField() {
		switch v.Field(i).Kind() {
		case reflect.Map, reflect.Slice, reflect.Pointer:
			if f.IntN(absent) != 0 {
				continue
			}
		}
		f.fill(v.Field(i), 3)
	}
	f.schemas--
}
