// The webhook server of controller-runtime, for the bench of webhooks: see test/bench/README.md, "Webhooks".
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

type pods struct{}

// Default labels a pod.
func (pods) Default(_ context.Context, pod *corev1.Pod) error {
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	pod.Labels["bench.example.com/seen"] = "yes"
	return nil
}

func check(pod *corev1.Pod) (admission.Warnings, error) {
	for _, c := range pod.Spec.Containers {
		if strings.HasSuffix(c.Image, ":latest") {
			return nil, fmt.Errorf("%s has no version", c.Name)
		}
	}
	return nil, nil
}

func (pods) ValidateCreate(_ context.Context, pod *corev1.Pod) (admission.Warnings, error) {
	return check(pod)
}

func (pods) ValidateUpdate(_ context.Context, _, pod *corev1.Pod) (admission.Warnings, error) {
	return check(pod)
}

func (pods) ValidateDelete(context.Context, *corev1.Pod) (admission.Warnings, error) {
	return nil, nil
}

func main() {
	log.SetLogger(logr.Discard())
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: go_webhooks FOLDER PORT"))
	}
	port, err := strconv.Atoi(os.Args[2])
	must(err)
	scheme := runtime.NewScheme()
	must(corev1.AddToScheme(scheme))
	server := webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: port, CertDir: os.Args[1]})
	server.Register("/validate--v1-pod", admission.WithValidator[*corev1.Pod](scheme, pods{}))
	server.Register("/mutate--v1-pod", admission.WithDefaulter[*corev1.Pod](scheme, pods{}))
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		for server.StartedChecker()(nil) != nil {
			time.Sleep(10 * time.Millisecond)
		}
		fmt.Println(`{"ready":true}`)
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	must(server.Start(ctx))
}

func must(err error) {
	if err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "go_webhooks:", err)
	os.Exit(1)
}
