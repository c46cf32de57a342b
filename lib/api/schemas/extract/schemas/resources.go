package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	apiregistration "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"
)

// A place is where the objects of a kind are found.
type place struct {
	plural string
	scope  string
}

// A recorder is the transport of clients without a server: it keeps the path of the last request.
type recorder struct{ path string }

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	r.path = request.URL.Path
	return &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(nil)), Request: request}, nil
}

// servedResources asks the typed clients for an object of each type, and returns where they look for it.
func servedResources() map[reflect.Type]place {
	asked := &recorder{}
	config := &rest.Config{Host: "http://nowhere", Transport: asked, QPS: -1}
	found := map[reflect.Type]place{
		// POST only, and without a typed client: pods have a subresource for it.
		reflect.TypeFor[corev1.Binding](): {"bindings", "Namespaced"},
	}
	for _, clients := range []any{
		kubernetes.NewForConfigOrDie(config), apiextensions.NewForConfigOrDie(config), apiregistration.NewForConfigOrDie(config),
	} {
		set := reflect.ValueOf(clients)
		for i := range set.NumMethod() { // CoreV1(), AppsV1(), ...
			if method := set.Method(i); method.Type().NumIn() == 0 && method.Type().NumOut() == 1 {
				addGroup(found, method.Call(nil)[0].Elem(), asked)
			}
		}
	}
	return found
}

// addGroup calls Create of every resource of a group: Pods("ns").Create(...), Nodes().Create(...).
func addGroup(found map[reflect.Type]place, group reflect.Value, asked *recorder) {
	for i := range group.NumMethod() {
		method := group.Method(i)
		var arguments []reflect.Value
		if method.Type().NumIn() == 1 && method.Type().In(0).Kind() == reflect.String {
			arguments = []reflect.Value{reflect.ValueOf("ns")}
		}
		if method.Type().NumIn() != len(arguments) || method.Type().NumOut() != 1 || method.Type().Out(0).Kind() != reflect.Interface {
			continue
		}
		create := method.Call(arguments)[0].MethodByName("Create")
		if !create.IsValid() || create.Type().NumIn() != 3 {
			continue
		}
		object := create.Type().In(1).Elem()
		create.Call([]reflect.Value{reflect.ValueOf(context.Background()), reflect.New(object), reflect.ValueOf(metav1.CreateOptions{})})
		// /apis/GROUP/VERSION/PLURAL or /apis/GROUP/VERSION/namespaces/ns/PLURAL
		steps := strings.Split(asked.path, "/")
		found[object] = place{steps[len(steps)-1], "Cluster"}
		if strings.Contains(asked.path, "/namespaces/ns/") {
			found[object] = place{steps[len(steps)-1], "Namespaced"}
		}
	}
}
