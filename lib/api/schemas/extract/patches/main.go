// patches writes strategic merge patches and what Kubernetes makes of them, one JSON object a line:
//
//	go run ./patches > ../../../../test/unit/apiserver/data/strategic_patches.jsonl
//
// Each has apiVersion, kind, before, patch, and after, or refused. Half of the patches are those of a client that wants another
// object; the others have members, directives and mistakes that no client would send.
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"kubecoro/lib/api/schemas/extract/internal/kinds"
	"kubecoro/lib/api/schemas/extract/internal/random"
)

var wanted = []schema.GroupKind{{Kind: "Pod"}, {Kind: "Service"}, {Kind: "ServiceAccount"}, {Kind: "Node"}, {Kind: "ConfigMap"}, {Group: "apps", Kind: "Deployment"},
	{Group: "apps", Kind: "StatefulSet"}, {Group: "policy", Kind: "PodDisruptionBudget"}, {Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"},
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"}}

type row struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Before     json.RawMessage `json:"before"`
	Patch      json.RawMessage `json:"patch"`
	After      json.RawMessage `json:"after,omitempty"`
	Refused    bool            `json:"refused,omitempty"`
}

// Larger rows than this are left out.
const maxRow = 4000

func main() {
	log.SetFlags(0)
	out := bufio.NewWriter(os.Stdout)
	byKind := map[schema.GroupVersionKind]kinds.Kind{}
	for _, k := range kinds.All(kinds.Scheme()) {
		byKind[k.GroupVersionKind] = k
	}
	source := rand.New(rand.NewPCG(1, 2))
	for _, group := range wanted {
		k := byKind[group.WithVersion("v1")]
		for written, i := 0, 0; written < 15; i++ {
			f := random.New(source, .2+.1*float64(i%3))
			f.Texts, f.OddTexts, f.MapKeys, f.Int32s = letters, letters, letters, []int32{1, 2, 3}
			if r, firm := patchRow(k, f, i%2 == 1); firm && len(encoded(r)) < maxRow {
				out.Write(append(encoded(r), '\n'))
				written++
			}
		}
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}

// Few texts, so that objects have keys in common.
var letters = []string{"a", "b", "c", "d"}

// patchRow returns a patch and its result, and whether the result is firm: it may depend on the order in which Go visits a map.
// Patches of maps of lists are not firm either: Kubernetes fails to merge them, the embedded API server replaces the lists.
func patchRow(k kinds.Kind, f *random.Filler, disturbed bool) (row, bool) {
	before, after := k.New(), k.New()
	f.Fill(before)
	f.Fill(after)
	r := row{APIVersion: k.GroupVersion().String(), Kind: k.Kind, Before: encoded(before)}
	patch, err := strategicpatch.CreateTwoWayMergePatch(r.Before, encoded(after), k.New())
	if err != nil { // the random objects have two items with one key
		patch = encoded(after)
	}
	if disturbed {
		var p any
		if err := json.Unmarshal(patch, &p); err != nil {
			log.Fatal(err)
		}
		disturb(f, p)
		patch = encoded(p)
	}
	r.Patch = patch
	for attempt := range 20 {
		result, err := strategicpatch.StrategicMergePatch(r.Before, patch, k.New())
		if err != nil && strings.HasPrefix(err.Error(), "merging an object in json") || attempt > 0 && (string(r.After) != string(result) || r.Refused != (err != nil)) {
			return r, false
		}
		r.After, r.Refused = result, err != nil
	}
	return r, true
}

func encoded(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		log.Fatal(err)
	}
	return text
}

// disturb removes members, swaps items, and adds nulls and directives.
func disturb(f *random.Filler, v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			switch f.IntN(60) {
			case 0:
				v[key] = nil
			case 1:
				delete(v, key)
			default:
				disturb(f, v[key])
			}
		}
		switch f.IntN(60) {
		case 0:
			v["$patch"] = "replace"
		case 1:
			v["$patch"] = "delete"
		case 2:
			v["$retainKeys"] = []any{"name", "type"}
		}
	case []any:
		if len(v) > 1 && f.IntN(3) == 0 {
			v[0], v[1] = v[1], v[0]
		}
		for _, item := range v {
			disturb(f, item)
		}
	}
}
