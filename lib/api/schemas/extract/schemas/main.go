// schemas writes the structure of the built-in kinds, as the tags of their Go types state it: kubernetes.json on stdout.
//
//	go run ./schemas > ../kubernetes.json
//
// The README beside that file describes its rows. Whatever the program does not know how to describe is an error.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubecoro/lib/api/schemas/extract/internal/kinds"
)

type kindRow struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Message    string `json:"message"`
	Resource   string `json:"resource,omitempty"`
	Scope      string `json:"scope,omitempty"`
}

type messageRow struct {
	Name   string  `json:"name"`
	Form   string  `json:"form,omitempty"`
	Atomic bool    `json:"atomic,omitempty"`
	Fields [][]any `json:"fields"`
}

func main() {
	log.SetFlags(0)
	served := servedResources()
	found := &messages{rows: map[reflect.Type]*messageRow{}, merging: mergingOfAll()}
	var rows []kindRow
	scheme := kinds.Scheme()
	for _, k := range kinds.All(scheme) {
		row := kindRow{APIVersion: k.GroupVersion().String(), Kind: k.Kind, Message: found.add(k.Type)}
		if r, is := served[k.Type]; is {
			row.Resource, row.Scope = r.plural, r.scope
		} else if scheme.Recognizes(k.GroupVersion().WithKind(k.Kind+"List")) && isResource(k.Type) {
			found.problem(k.Type, "has a list, but no client says where")
		}
		rows = append(rows, row)
	}
	for _, problem := range found.problems {
		log.Print("schemas: ", problem)
	}
	if len(found.problems) > 0 {
		os.Exit(1)
	}
	sorted := slices.SortedFunc(maps.Values(found.rows), func(a, b *messageRow) int { return cmp.Compare(a.Name, b.Name) })
	out := bufio.NewWriter(os.Stdout)
	fmt.Fprintf(out, "{\"kubernetes\":%q,\n\"kinds\":[\n%s\n],\n\"messages\":[\n%s\n]}\n", kinds.Version(), lines(rows), lines(sorted))
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
	log.Print(len(rows), " kinds, ", len(sorted), " messages")
}

func isResource(t reflect.Type) bool {
	_, has := t.FieldByName("ObjectMeta")
	return has && t != reflect.TypeFor[metav1.PartialObjectMetadata]()
}

// lines renders one row a line.
func lines[Row any](rows []Row) string {
	texts := make([]string, len(rows))
	for i, row := range rows {
		text, err := json.Marshal(row)
		if err != nil {
			log.Fatal(err)
		}
		texts[i] = string(text)
	}
	return strings.Join(texts, ",\n")
}

func kindOf(scheme *runtime.Scheme, object runtime.Object) schema.GroupVersionKind {
	all, _, err := scheme.ObjectKinds(object)
	if err != nil {
		log.Fatal(err)
	}
	return all[0]
}
