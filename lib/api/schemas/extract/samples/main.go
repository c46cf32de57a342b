// samples writes random objects of every built-in kind in both wire forms, as the serializers of Kubernetes make them:
//
//	go run ./samples [-each N] [-seed S] | zstd -19 > test/unit/api/data/protobuf_samples.zst
//
// A sample is three records: name, protobuf, JSON. A record is its length (four bytes, little-endian) and its bytes. The name says
// how to read the sample: "object v1 Pod 3", "list v1 PodList 0" (an object as well) or "watch v1 Pod ADDED" (one frame).
//
// The JSON is that of the object decoded from the protobuf form, because the objects of a cluster have been through protobuf on
// their way into etcd. Two rules of kube-apiserver are applied to it: a list without items has an empty array, and each
// volumeClaimTemplate states its kind.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"

	"kubecoro/lib/api/schemas/extract/internal/kinds"
	"kubecoro/lib/api/schemas/extract/internal/random"
)

type writer struct {
	out      *bufio.Writer
	protobuf *protobuf.Serializer
	raw      *protobuf.RawSerializer
	json     *jsonserializer.Serializer
	samples  int
}

func main() {
	log.SetFlags(0)
	each := flag.Int("each", 6, "objects of each kind")
	seed := flag.Uint64("seed", 1, "")
	flag.Parse()

	scheme := kinds.Scheme()
	w := &writer{
		out:      bufio.NewWriter(os.Stdout),
		protobuf: protobuf.NewSerializer(scheme, scheme),
		raw:      protobuf.NewRawSerializer(scheme, scheme),
		json:     jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory, scheme, scheme, jsonserializer.SerializerOptions{}),
	}
	for i, k := range kinds.All(scheme) {
		if k.Kind == "WatchEvent" { // has no envelope of its own
			continue
		}
		// Every kind has its own source, so that a new kind leaves the samples of the others as they are.
		source := rand.New(rand.NewPCG(*seed, hash(k.GroupVersionKind.String())))
		count := *each
		if k.Kind == "CustomResourceDefinition" { // schemas have forms of their own
			count *= 5
		}
		for n := range count {
			w.object(k, n, source)
		}
		if isResource(k.Type) && (i%5 == 0 || k.Kind == "Pod") {
			w.frames(k, source)
		}
	}
	if err := w.out.Flush(); err != nil {
		log.Fatal(err)
	}
	log.Print(w.samples, " samples")
}

func hash(text string) uint64 {
	h := uint64(14695981039346656037)
	for _, b := range []byte(text) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}

func isList(t reflect.Type) bool {
	_, list := t.FieldByName("ListMeta")
	_, items := t.FieldByName("Items")
	return list && items
}

func isResource(t reflect.Type) bool {
	_, is := t.FieldByName("ObjectMeta")
	return is
}

// object writes the n-th object of a kind: the empty one, one with everything in it, and random ones.
func (w *writer) object(k kinds.Kind, n int, source *rand.Rand) {
	o := k.New()
	switch n {
	case 0:
	case 1:
		random.New(source, 1).Fill(o)
	default:
		random.New(source, .3+.1*float64(n%5)).Fill(o)
	}
	form := "object"
	if isList(k.Type) {
		form = "list"
	}
	wire, text := w.encode(k, o)
	w.sample(fmt.Sprintf("%s %s %s %d", form, k.GroupVersion(), k.Kind, n), wire, text)
}

// encode returns the protobuf form of an object, and the JSON of what that is decoded to.
func (w *writer) encode(k kinds.Kind, o runtime.Object) (wire, text []byte) {
	o.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	var first, second bytes.Buffer
	must(w.protobuf.Encode(o, &first))
	decoded, _, err := w.protobuf.Decode(first.Bytes(), nil, k.New())
	must(err)
	asServed(reflect.ValueOf(decoded).Elem(), 0)
	must(w.json.Encode(decoded, &second))
	return first.Bytes(), bytes.TrimSpace(second.Bytes())
}

// asServed applies the rules of kube-apiserver to an object and to the items of a list.
func asServed(o reflect.Value, depth int) {
	if isList(o.Type()) {
		items := o.FieldByName("Items")
		if items.IsNil() {
			items.Set(reflect.MakeSlice(items.Type(), 0, 0))
		}
		for i := range items.Len() {
			if item := items.Index(i); depth == 0 && item.Kind() == reflect.Struct {
				asServed(item, depth+1)
			}
		}
	}
	if spec := o.FieldByName("Spec"); spec.IsValid() && spec.Kind() == reflect.Struct {
		if templates := spec.FieldByName("VolumeClaimTemplates"); templates.IsValid() {
			for i := range templates.Len() {
				templates.Index(i).FieldByName("TypeMeta").Set(reflect.ValueOf(metav1.TypeMeta{Kind: "PersistentVolumeClaim", APIVersion: "v1"}))
			}
		}
	}
}

// frames writes one frame of a watch for each type of event.
func (w *writer) frames(k kinds.Kind, source *rand.Rand) {
	for _, event := range []string{"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"} {
		kind, o := k, k.New()
		switch event {
		case "BOOKMARK":
			meta := o.(metav1.Object)
			meta.SetResourceVersion("2129")
			meta.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
		case "ERROR":
			kind = kinds.Kind{GroupVersionKind: metav1.Unversioned.WithKind("Status"), Type: reflect.TypeFor[metav1.Status]()}
			o = &metav1.Status{Status: metav1.StatusFailure, Message: "too old resource version: 1 (2)", Reason: metav1.StatusReasonExpired, Code: 410}
		default:
			random.New(source, .4).Fill(o)
		}
		wire, text := w.encode(kind, o)
		var frame bytes.Buffer
		framed := protobuf.LengthDelimitedFramer.NewFrameWriter(&frame)
		must(w.raw.Encode(&metav1.WatchEvent{Type: event, Object: runtime.RawExtension{Raw: wire}}, framed))
		both, err := json.Marshal(struct {
			Type   string          `json:"type"`
			Object json.RawMessage `json:"object"`
		}{event, text})
		must(err)
		w.sample(strings.Join([]string{"watch", k.GroupVersion().String(), k.Kind, event}, " "), frame.Bytes(), both)
	}
}

func (w *writer) sample(name string, wire, text []byte) {
	for _, record := range [][]byte{[]byte(name), wire, text} {
		must(binary.Write(w.out, binary.LittleEndian, uint32(len(record))))
		_, err := io.Copy(w.out, bytes.NewReader(record))
		must(err)
	}
	w.samples++
}

func must(err error) {
	if err != nil {
		log.Fatal("samples: ", err)
	}
}
