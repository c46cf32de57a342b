package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// paths of the fields in spec and status that have different names in a widget
type paths struct {
	resource    schema.GroupVersionResource
	node, fifth []string
}

func pathsOf(resource string) (paths, error) {
	switch resource {
	case "pods":
		kind := corev1.SchemeGroupVersion.WithResource(resource)
		return paths{kind, []string{"spec", "nodeName"}, []string{"status", "podIP"}}, nil
	case "widgets":
		return paths{widgetVersion.WithResource(resource), []string{"spec", "color"}, []string{"spec", "schedule"}}, nil
	}
	return paths{}, fmt.Errorf("no such resource: %q", resource)
}

func dynamicSource(config *rest.Config, resource, namespace string) (*source, error) {
	where, err := pathsOf(resource)
	if err != nil {
		return nil, err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	objects := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, nil).ForResource(where.resource)
	lister := objects.Lister()
	return &source{
		informer: objects.Informer(),
		get: func(name cache.ObjectName) (fields, error) {
			object, err := lister.ByNamespace(name.Namespace).Get(name.Name)
			if err != nil {
				return fields{}, err
			}
			return fields{text(object, where.node...), text(object, "status", "phase"), stamp(object)}, nil
		},
		list:  func() ([]any, error) { return asAny(lister.List(labels.Everything())) },
		first: func(object any) string { return text(object, where.node...) },
		five: func(object any) [5]string {
			return [5]string{text(object, where.node...), text(object, "status", "phase"), stamp(object),
				text(object, "metadata", "name"), text(object, where.fifth...)}
		},
	}, nil
}

func stamp(object any) string { return text(object, "metadata", "annotations", stampAnnotation) }

func text(object any, path ...string) string {
	value, _, _ := unstructured.NestedString(object.(*unstructured.Unstructured).Object, path...)
	return value
}
