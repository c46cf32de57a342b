// load fills a real cluster with the objects of the bench, and changes them at a given rate. It talks to the API server like
// the controllers of a cluster: several field managers, so that every object has the managedFields that the server makes.
//
//	load fill --kubeconfig FILE --resource pods|widgets --records FILE --objects N
//	load update --kubeconfig FILE --resource pods --namespace NAME --rate R --seconds S [--etcd URL] [--answers FILE]
//
// Each prints one line of JSON when it is done. Records are those of `kubecoro_replay --dump`.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
)

// kind is a resource of the bench and its writers: one creates objects, the other reports their status.
type kind struct {
	resource         schema.GroupVersionResource
	creator, updater string
}

var kinds = map[string]kind{
	"pods": {corev1.SchemeGroupVersion.WithResource("pods"), "kube-controller-manager", "kubelet"},
	"widgets": {schema.GroupVersionResource{Group: "bench.example.com", Version: "v1", Resource: "widgets"}, "kubectl",
		"widget-operator"},
}

// Requests at a time. The server of a two-core machine is busy with far fewer.
const writers = 16

type options struct {
	kubeconfig, resource, records, namespace string
	answers, etcd                            string
	objects, rate, seconds                   int
}

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("usage: load fill|update OPTIONS"))
	}
	var o options
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "the cluster")
	flags.StringVar(&o.resource, "resource", "pods", "pods or widgets")
	flags.StringVar(&o.records, "records", "", "fill: the objects, as JSON records")
	flags.IntVar(&o.objects, "objects", 0, "fill: how many there shall be")
	flags.StringVar(&o.namespace, "namespace", "", "update: whose objects")
	flags.IntVar(&o.rate, "rate", 500, "update: writes a second")
	flags.IntVar(&o.seconds, "seconds", 10, "update: for how long")
	flags.StringVar(&o.answers, "answers", "", "update: file for the stamp and the time of each answer")
	flags.StringVar(&o.etcd, "etcd", "", "update: write to this etcd, past the API server")
	_ = flags.Parse(os.Args[2:])
	line, err := run(context.Background(), os.Args[1], o)
	if err != nil {
		fail(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "load:", err)
	os.Exit(1)
}

func run(ctx context.Context, verb string, o options) (map[string]any, error) {
	config, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	of, known := kinds[o.resource]
	if !known {
		return nil, fmt.Errorf("no such resource: %q", o.resource)
	}
	switch verb {
	case "fill":
		return fill(ctx, client, of, o)
	case "update":
		return update(ctx, client, of, o)
	}
	return nil, fmt.Errorf("no such verb: %q", verb)
}
