// Applies configurations as several managers and prints what client-go extracts for each of them, as JSON lines without the parts
// that differ between runs, after the definition of the custom kind. test/unit/client/data/extracted.jsonl is its output.
// Usage: extracts KUBECONFIG
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sort"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	}
}

func value[T any](v T, err error) T {
	must(err)
	return v
}

// One write: an apply by a manager, forced.
type write struct {
	manager, subresource, body string
}

type result struct {
	Object      map[string]any `json:"object"`
	Manager     string         `json:"manager"`
	Subresource string         `json:"subresource"`
	Extracted   any            `json:"extracted"`
}

// Drops what differs between runs. Servers sort the entries by their times, whose seconds are a matter of chance.
func settle(o *unstructured.Unstructured) {
	metadata := o.Object["metadata"].(map[string]any)
	for _, name := range []string{"creationTimestamp", "resourceVersion", "uid"} {
		delete(metadata, name)
	}
	entries := metadata["managedFields"].([]any)
	for _, entry := range entries {
		delete(entry.(map[string]any), "time")
	}
	if spec, ok := o.Object["spec"].(map[string]any); ok && o.GetKind() == "Service" {
		delete(spec, "clusterIP")
		delete(spec, "clusterIPs")
	}
	sort.SliceStable(entries, func(i, j int) bool { return place(entries[i]) < place(entries[j]) })
}

func place(entry any) string {
	e := entry.(map[string]any)
	return fmt.Sprint(e["manager"], "/", e["subresource"], "/", e["operation"], "/", e["apiVersion"])
}

func run(ctx context.Context, client dynamic.Interface, c testCase) []result {
	resource := client.Resource(c.resource).Namespace("default")
	for _, w := range c.writes {
		var body map[string]any
		must(json.Unmarshal([]byte(w.body), &body))
		body["apiVersion"], body["kind"] = c.resource.GroupVersion().String(), c.kind
		metadata, _ := body["metadata"].(map[string]any)
		if metadata == nil {
			metadata = map[string]any{}
			body["metadata"] = metadata
		}
		metadata["name"] = "x"
		options := metav1.ApplyOptions{FieldManager: w.manager, Force: true}
		subresources := []string{}
		if w.subresource != "" {
			subresources = append(subresources, w.subresource)
		}
		_, err := resource.Apply(ctx, "x", &unstructured.Unstructured{Object: body}, options, subresources...)
		must(err)
	}
	live := value(resource.Get(ctx, "x", metav1.GetOptions{}))
	must(resource.Delete(ctx, "x", metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
	settle(live)
	var out []result
	seen := map[string]bool{}
	for _, w := range append(c.writes, write{"absent", "", ""}) {
		if key := w.manager + "/" + w.subresource; !seen[key] {
			seen[key] = true
			raw := value(live.MarshalJSON())
			out = append(out, result{live.Object, w.manager, w.subresource, c.extract(raw, w.manager, w.subresource)})
		}
	}
	return out
}

func main() {
	config := value(clientcmd.BuildConfigFromFlags("", os.Args[1]))
	client := value(dynamic.NewForConfig(config))
	ctx := context.Background()
	definitions := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	var definition unstructured.Unstructured
	must(json.Unmarshal([]byte(robots), &definition.Object))
	value(definitions.Create(ctx, &definition, metav1.CreateOptions{}))
	var all []result
	for _, c := range cases {
		all = append(all, run(ctx, client, c)...)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	must(encoder.Encode(definition.Object))
	for _, r := range all {
		must(encoder.Encode(r))
	}
}
