package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const stampAnnotation = "bench.example.com/stamp"

// fields are what one reconcile reads: spec.nodeName (of a widget spec.color), status.phase and the stamp.
type fields struct{ node, phase, stamp string }

// source is an informer and the ways its lister and its objects are read.
type source struct {
	informer cache.SharedIndexInformer
	get      func(cache.ObjectName) (fields, error)
	list     func() ([]any, error)
	first    func(any) string    // the first field of an object
	five     func(any) [5]string // five of them
}

type options struct {
	server, ca, kubeconfig, resource, namespace, mode string
	stripManagedFields                                bool
}

// connection is client-go's default: of a cluster, or of the replay server, which does not compress.
func connection(o options) (*rest.Config, error) {
	if o.kubeconfig != "" {
		return clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	}
	config := &rest.Config{Host: o.server, DisableCompression: true}
	config.TLSClientConfig.CAFile = o.ca
	return config, nil
}

// restConfig is the connection without the client-side rate limit, asking for the mode's encoding.
func restConfig(o options, requests *requests) (*rest.Config, error) {
	config, err := connection(o)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	switch o.mode {
	case "typed-protobuf", "controller": // the default of both for built-in kinds
		requests.encoding = runtime.ContentTypeProtobuf
	case "typed-json":
		config.ContentType = runtime.ContentTypeJSON
		config.AcceptContentTypes = runtime.ContentTypeJSON
		requests.encoding = runtime.ContentTypeJSON
	case "dynamic":
		requests.encoding = runtime.ContentTypeJSON
	default:
		return nil, fmt.Errorf("no such mode: %q", o.mode)
	}
	config.Wrap(requests.wrap)
	return config, nil
}

func newSource(o options, config *rest.Config) (made *source, err error) {
	switch {
	case o.mode == "dynamic":
		made, err = dynamicSource(config, o.resource, o.namespace)
	case o.resource == "pods":
		made, err = podSource(config, o.namespace)
	case o.resource == "widgets" && o.mode == "typed-json":
		made, err = widgetSource(config, o.namespace)
	default:
		err = fmt.Errorf("mode %s has no resource %q", o.mode, o.resource)
	}
	if err == nil && o.stripManagedFields {
		err = made.informer.SetTransform(stripManagedFields)
	}
	return made, err
}

func stripManagedFields(object any) (any, error) {
	if accessor, err := meta.Accessor(object); err == nil {
		accessor.SetManagedFields(nil)
	}
	return object, nil
}

func asAny[T any](from []T, err error) ([]any, error) {
	to := make([]any, len(from))
	for i := range from {
		to[i] = from[i]
	}
	return to, err
}
