package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// update patches the stamp of the namespace's objects, one after the other, at a steady rate. The stamp is the time before
// the write by CLOCK_MONOTONIC, which every subject reads.
func update(ctx context.Context, client dynamic.Interface, of kind, o options) (map[string]any, error) {
	objects, write, err := target(ctx, client, of, o)
	if err != nil {
		return nil, err
	}
	names := make(chan string)
	var lock sync.Mutex
	var took []time.Duration
	var answers []answered
	var failure error
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for name := range names {
				done, err := write(ctx, name)
				lock.Lock()
				took = append(took, time.Duration(done.at-done.stamp))
				answers = append(answers, done)
				if err != nil {
					failure = err
				}
				lock.Unlock()
			}
		})
	}
	begin := time.Now()
	for i := range o.rate * o.seconds {
		time.Sleep(time.Until(begin.Add(time.Duration(i) * time.Second / time.Duration(o.rate))))
		names <- objects[i%len(objects)]
	}
	close(names)
	all.Wait()
	if failure != nil {
		return nil, failure
	}
	if err := writeAnswers(o.answers, answers); err != nil {
		return nil, err
	}
	slices.Sort(took)
	at := func(quantile float64) float64 {
		return float64(took[int(quantile*float64(len(took)-1))].Nanoseconds()) / 1000
	}
	return map[string]any{"writes": len(took), "wall_s": time.Since(begin).Seconds(), "p50_us": at(0.5), "p99_us": at(0.99)}, nil
}

// target is the names of the objects to write, and how.
func target(ctx context.Context, client dynamic.Interface, of kind, o options) ([]string, writer, error) {
	if o.etcd != "" {
		store, err := openEtcd(ctx, o.etcd, of.resource.Resource, o.namespace)
		if err != nil {
			return nil, nil, err
		}
		return store.names(), store.touch, nil
	}
	in := client.Resource(of.resource).Namespace(o.namespace)
	list, err := in.List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return nil, nil, err
	}
	if len(list.Items) == 0 {
		return nil, nil, fmt.Errorf("the namespace %q is empty", o.namespace)
	}
	names := make([]string, len(list.Items))
	for i := range list.Items {
		names[i] = list.Items[i].GetName()
	}
	return names, func(ctx context.Context, name string) (answered, error) { return touch(ctx, in, of, name) }, nil
}

// writer changes the stamp of one object.
type writer func(context.Context, string) (answered, error)

// answered is a write: its stamp, and when its answer had arrived.
type answered struct{ stamp, at int64 }

func touch(ctx context.Context, in dynamic.ResourceInterface, of kind, name string) (answered, error) {
	write := answered{stamp: monotonic()}
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"bench.example.com/stamp":"%019d"}}}`, write.stamp)
	_, err := in.Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: of.updater})
	write.at = monotonic()
	return write, err
}

func monotonic() int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		fail(err)
	}
	return now.Nano()
}

// writeAnswers writes a line for each write; without a file nothing.
func writeAnswers(path string, answers []answered) error {
	if path == "" {
		return nil
	}
	text := strings.Builder{}
	for _, write := range answers {
		fmt.Fprintln(&text, write.stamp, write.at)
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}
