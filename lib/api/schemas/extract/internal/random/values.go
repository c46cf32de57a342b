package random

import (
	"math"
	"reflect"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var (
	texts = []string{"", "a", "web", "default", "kube-system", "nginx:1.27", "example.com/thing", "Always", "app", "true", "0",
		"10.0.0.1", "a-rather-long-name-of-a-pod-7d4b9c6f5-x2x9z", "größer", "名前", "\U0001F600"}
	oddTexts = []string{"<html> & </html>", "line\u2028and\u2029paragraph", "\"quoted\" \\ back / slash", "\x00\x01\x1f\x7f", "tab\tnew\nline\r\b\f",
		"bad \xff\xfe bytes", "cut \xe2\x82", "surrogate \xed\xa0\x80", "overlong \xc0\xaf", "too large \xf4\x90\x80\x80", "\xf0\x9f\x98",
		strings.Repeat("long text ", 60), strings.Repeat("x", 127), strings.Repeat("y", 128)}
	mapKeys = []string{"a", "b", "app", "app.kubernetes.io/name", "key with space", "cpu", "memory", "<&>", "名", "", "bad\xff"}
	int32s  = []int32{0, 1, -1, 2, 80, 127, 128, 420, 8080, 16384, math.MaxInt32, math.MinInt32}
	int64s  = []int64{0, 1, -1, 30, 300, 1 << 31, -(1 << 31) - 1, 1 << 53, 1<<53 + 1, math.MaxInt64, math.MinInt64}
	doubles = []float64{0, 1, -1, 0.1, 1.5, 100, 1e6, 1e20, 1e21, 1e-6, 1e-7, -2.5e-9, 123456789.125, 1 << 53, math.MaxFloat64, math.SmallestNonzeroFloat64,
		math.Copysign(0, -1), math.Pi}
	blobs = []string{"a", "ab", "abc", "\x00\xff\xfe\x80", "plain text", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
		"\x10\x83\x10\x51\x87\x20\x92\x8b\x30\xd3\x8f\x41\x14\x93"}
	quantities = []string{"0", "1", "100m", "1500m", "1Gi", "1024Mi", "1.5Gi", "128974848", "129e6", "123M", "1e3", "5k", "0.1", "1u", "1n", "-1", "-100m",
		"9223372036854775807", "9223372036854775808", "0.000000001", "12345678901234567890", "1.1Mi", "0Gi"}
	times = []time.Time{{}, time.Unix(0, 0), time.Unix(1, 0), time.Unix(-1, 0), time.Unix(-86400*365*3, 0), time.Unix(1790000000, 0), time.Unix(1790000000, 123456789),
		time.Unix(951782400, 999999999), time.Unix(951868799, 1000), time.Unix(-62135596799, 0), time.Unix(253402300799, 999999000), time.Unix(4107542400, 10000000),
		time.Unix(-11644473600, 500000000)}
	durations = []time.Duration{0, 1, -1, 999, 1500, 1500 * time.Microsecond, time.Second, 1500 * time.Millisecond, 90 * time.Minute, -time.Hour, 1000 * time.Hour,
		math.MaxInt64, math.MinInt64}
	documents = []string{"null", "true", "0", "-1.5e3", `"text"`, `"\u003c\u2028\ud83d\ude00"`, "[]", "{}", `[1,[2,[3,{"a":null}]]]`, "{ \"spaced\" : [ 1 , 2 ] }\n",
		`{"a":{"b":{"c":[true,false,null]}},"big":12345678901234567890,"exp":1e-7,"min":-9223372036854775808}`}
	objects = []string{"{}", `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}`, `{"a":"<b>&","list":[1,2.5,"x"],"none":null}`, `{ "spaced" : {} }`}
	owned   = []string{"{}", `{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:image":{}}}}}`,
		`{"f:metadata":{"f:finalizers":{".":{},"v:\"example.com/a\"":{}}}}`}
)

// special fills the types that state their own form in JSON.
func (f *Filler) special(v reflect.Value, depth int) bool {
	switch x := v.Addr().Interface().(type) {
	case *resource.Quantity:
		if f.IntN(8) != 0 {
			*x = resource.MustParse(pick(f, quantities))
		}
	case *intstr.IntOrString:
		*x = f.intOrString()
	case *metav1.Time:
		x.Time = pick(f, times)
	case *metav1.MicroTime:
		x.Time = pick(f, times)
	case *metav1.Duration:
		x.Duration = pick(f, durations)
	case *metav1.FieldsV1:
		x.SetRawBytes([]byte(pick(f, owned)))
	case *runtime.RawExtension:
		if f.present(depth) {
			x.Raw = []byte(pick(f, objects))
		}
	case *apiextensionsv1.JSON:
		if f.present(depth) {
			x.Raw = []byte(pick(f, documents))
		}
	case *apiextensionsv1.JSONSchemaProps:
		f.schema(x)
	case *apiextensionsv1.JSONSchemaPropsOrBool:
		x.Allows = f.IntN(2) == 0
		x.Schema = f.someSchema()
	case *apiextensionsv1.JSONSchemaPropsOrArray:
		f.schemaOrArray(x)
	case *apiextensionsv1.JSONSchemaPropsOrStringArray:
		if x.Schema = f.someSchema(); x.Schema == nil {
			f.fill(reflect.ValueOf(&x.Property).Elem(), depth+1)
		}
	default:
		return false
	}
	return true
}

func (f *Filler) intOrString() intstr.IntOrString {
	switch f.IntN(6) {
	case 0: // both are written, one of them counts
		return intstr.IntOrString{Type: intstr.Int, IntVal: 7, StrVal: "seven"}
	case 1:
		return intstr.IntOrString{Type: intstr.String, IntVal: 8, StrVal: "25%"}
	case 2, 3:
		return intstr.FromInt32(pick(f, f.Int32s))
	default:
		return intstr.FromString(f.text())
	}
}

// Deeper than this, schemas hold no others.
const maxSchemas = 5

func (f *Filler) someSchema() *apiextensionsv1.JSONSchemaProps {
	if f.schemas > maxSchemas || f.IntN(2) == 0 {
		return nil
	}
	s := &apiextensionsv1.JSONSchemaProps{}
	f.schema(s)
	return s
}

func (f *Filler) schemaOrArray(x *apiextensionsv1.JSONSchemaPropsOrArray) {
	if x.Schema = f.someSchema(); x.Schema != nil || f.schemas > maxSchemas {
		return
	}
	x.JSONSchemas = make([]apiextensionsv1.JSONSchemaProps, f.IntN(3))
	for i := range x.JSONSchemas {
		f.schema(&x.JSONSchemas[i])
	}
}
