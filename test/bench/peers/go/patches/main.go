// Compares the patches of patch_pairs, which it reads from its input, with those that Kubernetes makes of the same objects.
// Each of ours must be equal to Kubernetes' own, and give the same object when Kubernetes applies it.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"
)

type pair struct {
	APIVersion, Kind string
	Last, From, To   json.RawMessage
	Merge, Strategic json.RawMessage
	ThreeWay         json.RawMessage `json:"three_way"`
}

var compared, refused, unknown, unmergeable, worse, failures int

func fail(p pair, what string, ours, theirs any) {
	failures++
	if failures <= 5 {
		fmt.Printf("%s of %s %s\n from %s\n to %s\n last %s\n ours %s\n theirs %s\n", what, p.APIVersion, p.Kind, p.From, p.To, p.Last, ours, theirs)
	}
}

func equal(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// dropUnchanged removes what Kubernetes states of fields that have not changed: the orders of lists of texts that are not sorted, and
// whole objects that are replaced, not merged.
func dropUnchanged(patch, from, to map[string]any) {
	for name, value := range patch {
		if list, is := strings.CutPrefix(name, "$setElementOrder/"); is && from[list] != nil && reflect.DeepEqual(from[list], to[list]) {
			delete(patch, name)
		}
		inner, isObject := value.(map[string]any)
		before, wasObject := from[name].(map[string]any)
		after, willBe := to[name].(map[string]any)
		if !isObject || !wasObject || !willBe {
			continue
		}
		if reflect.DeepEqual(before, after) {
			delete(patch, name)
		} else {
			dropUnchanged(inner, before, after)
		}
	}
}

func withoutUnchanged(p pair, theirs []byte) []byte {
	var patch, from, to map[string]any
	must(json.Unmarshal(theirs, &patch))
	must(json.Unmarshal(p.From, &from))
	must(json.Unmarshal(p.To, &to))
	dropUnchanged(patch, from, to)
	text, err := json.Marshal(patch)
	must(err)
	return text
}

func must(err error) {
	if err != nil {
		fmt.Println("FAILED:", err)
		os.Exit(1)
	}
}

func same(p pair, what string, ours, theirs []byte, err error) {
	if err != nil {
		fail(p, what, ours, err)
	} else if !equal(ours, theirs) {
		fail(p, what, ours, theirs)
	}
}

func compare(p pair) {
	merge, err := jsonpatch.CreateMergePatch(p.From, p.To)
	same(p, "merge patch", p.Merge, merge, err)
	merged, err := jsonpatch.MergePatch(p.From, p.Merge)
	same(p, "result of the merge patch", merged, p.To, err)
	threeWay, err := jsonmergepatch.CreateThreeWayJSONMergePatch(p.Last, p.To, p.From)
	same(p, "three-way merge patch", p.ThreeWay, threeWay, err)

	object, err := scheme.Scheme.New(schema.FromAPIVersionAndKind(p.APIVersion, p.Kind))
	if err != nil { // of an extension
		unknown++
		return
	}
	theirs, err := strategicpatch.CreateTwoWayMergePatch(p.From, p.To, object)
	if string(p.Strategic) == "null" {
		refused++ // two items with one merge key, which Kubernetes takes where they happen not to matter
		return
	}
	applied, applyErr := strategicpatch.StrategicMergePatch(p.From, p.Strategic, object)
	if applyErr != nil && strings.HasPrefix(applyErr.Error(), "merging an object in json") && err != nil {
		unmergeable++ // a map of lists
		return
	}
	same(p, "result of the strategic merge patch", applied, p.To, applyErr)
	if err == nil {
		result, err := strategicpatch.StrategicMergePatch(p.From, theirs, object)
		must(err)
		if equal(result, p.To) {
			same(p, "strategic merge patch", p.Strategic, withoutUnchanged(p, theirs), nil)
			return
		}
	}
	// Kubernetes makes no patch of a list without merge keys that has not changed, and loses an order that is that of the alphabet.
	worse++
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var p pair
		must(json.Unmarshal(in.Bytes(), &p))
		compare(p)
		compared++
	}
	fmt.Printf("%d pairs compared, %d differences; %d strategic patches refused, "+
		"%d with what Kubernetes cannot merge, %d where only ours gives the object, %d kinds without Go type\n",
		compared, failures, refused, unmergeable, worse, unknown)
	if failures > 0 || compared < 3000 || refused > compared/10 {
		os.Exit(1)
	}
}
