package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// fill makes the cluster hold exactly the first objects of the records, and says which namespace has the most of them.
func fill(ctx context.Context, client dynamic.Interface, of kind, o options) (map[string]any, error) {
	if of.resource.Group != corev1Group {
		if err := define(ctx, client); err != nil {
			return nil, err
		}
	}
	there, err := existing(ctx, client, of)
	if err != nil {
		return nil, err
	}
	wanted, err := records(o.records, o.objects)
	if err != nil {
		return nil, err
	}
	sizes := map[string]int{}
	var absent []*unstructured.Unstructured
	for _, object := range wanted {
		sizes[object.GetNamespace()]++
		if !there[keyOf(object)] {
			absent = append(absent, object)
		}
		delete(there, keyOf(object))
	}
	if err := createNamespaces(ctx, client, sizes); err != nil {
		return nil, err
	}
	if err := inParallel(absent, func(object *unstructured.Unstructured) error { return create(ctx, client, of, object) }); err != nil {
		return nil, err
	}
	surplus := make([]key, 0, len(there))
	for at := range there {
		surplus = append(surplus, at)
	}
	if err := inParallel(surplus, func(at key) error { return remove(ctx, client, of, at) }); err != nil {
		return nil, err
	}
	largest := ""
	for namespace, count := range sizes {
		if count > sizes[largest] || (count == sizes[largest] && namespace < largest) {
			largest = namespace
		}
	}
	return map[string]any{"objects": len(wanted), "created": len(absent), "deleted": len(surplus), "namespace": largest,
		"namespace_objects": sizes[largest]}, nil
}

const corev1Group = ""

var (
	namespaces  = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
)

type key struct{ namespace, name string }

func keyOf(object metav1.Object) key { return key{object.GetNamespace(), object.GetName()} }

// existing is what the cluster holds; without a status an object was not finished, and is made again.
func existing(ctx context.Context, client dynamic.Interface, of kind) (map[key]bool, error) {
	found := map[key]bool{}
	page := metav1.ListOptions{Limit: 500}
	for {
		list, err := client.Resource(of.resource).List(ctx, page)
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			object := &list.Items[i]
			if phase, _, _ := unstructured.NestedString(object.Object, "status", "phase"); phase == "Running" {
				found[keyOf(object)] = true
			} else if err := remove(ctx, client, of, keyOf(object)); err != nil {
				return nil, err
			}
		}
		if page.Continue = list.GetContinue(); page.Continue == "" {
			return found, nil
		}
	}
}

// records reads the first objects of the file, without what the server sets.
func records(path string, count int) ([]*unstructured.Unstructured, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 1<<20)
	var all []*unstructured.Unstructured
	for len(all) < count {
		var length uint32
		if err := binary.Read(in, binary.LittleEndian, &length); err != nil {
			return nil, fmt.Errorf("%s: record %d: %w", path, len(all), err)
		}
		text := make([]byte, length)
		if _, err := io.ReadFull(in, text); err != nil {
			return nil, err
		}
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(text); err != nil {
			return nil, err
		}
		for _, field := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"} {
			unstructured.RemoveNestedField(object.Object, "metadata", field)
		}
		all = append(all, object)
	}
	return all, nil
}

func createNamespaces(ctx context.Context, client dynamic.Interface, names map[string]int) error {
	for name := range names {
		space := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}}
		if _, err := client.Resource(namespaces).Create(ctx, space, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}

// create writes an object as a cluster does: one manager its metadata and spec, another one its status.
func create(ctx context.Context, client dynamic.Interface, of kind, object *unstructured.Unstructured) error {
	in := client.Resource(of.resource).Namespace(object.GetNamespace())
	status := object.Object["status"]
	unstructured.RemoveNestedField(object.Object, "status")
	created, err := in.Create(ctx, object, metav1.CreateOptions{FieldManager: of.creator})
	if err != nil {
		return err
	}
	created.Object["status"] = status
	_, err = in.UpdateStatus(ctx, created, metav1.UpdateOptions{FieldManager: of.updater})
	return err
}

func remove(ctx context.Context, client dynamic.Interface, of kind, at key) error {
	now := int64(0)
	err := client.Resource(of.resource).Namespace(at.namespace).Delete(ctx, at.name, metav1.DeleteOptions{GracePeriodSeconds: &now})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
