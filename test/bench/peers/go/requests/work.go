package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
)

// prepared is the number of objects that exist before; gets and watches name them.
const prepared = 100

// work makes the requests. run and made name each created object once on the server.
type work struct {
	objects typed.ConfigMapInterface
	run     int
	made    atomic.Int64
	seen    atomic.Int64
	goal    atomic.Int64
	// An entry when the goal is reached or a watch has ended.
	news chan error
}

func newWork(objects typed.ConfigMapInterface, run int) *work {
	return &work{objects: objects, run: run, news: make(chan error, prepared)}
}

func preparedName(i int) string { return fmt.Sprintf("bench-%d", i%prepared) }

func (w *work) get(ctx context.Context, i int) error {
	object, err := w.objects.Get(ctx, preparedName(i), metav1.GetOptions{})
	if err == nil && len(object.Data["a"]) == 0 {
		err = fmt.Errorf("an empty answer")
	}
	return err
}

func (w *work) create(ctx context.Context, _ int) error {
	value := strings.Repeat("v", 256)
	object := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name:   fmt.Sprintf("bench-made-%d-%d", w.run, w.made.Add(1)),
			Labels: map[string]string{"bench": "made"},
		},
		Data: map[string]string{"a": value, "b": value, "c": value, "d": value},
	}
	made, err := w.objects.Create(ctx, object, metav1.CreateOptions{})
	if err == nil && made.ResourceVersion == "" {
		err = fmt.Errorf("an empty answer")
	}
	return err
}

// many makes a number of requests, some of them at once, and counts what the program allocates meanwhile.
func (w *work) many(ctx context.Context, inFlight, count int, one func(context.Context, int) error) (answer, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := time.Now()
	var next atomic.Int64
	var failed atomic.Value
	var all sync.WaitGroup
	for range inFlight {
		all.Go(func() {
			for i := next.Add(1); i <= int64(count) && failed.Load() == nil; i = next.Add(1) {
				if err := one(ctx, int(i)); err != nil {
					failed.Store(err.Error())
				}
			}
		})
	}
	all.Wait()
	wall := time.Since(begin)
	runtime.ReadMemStats(&after)
	if why := failed.Load(); why != nil {
		return nil, fmt.Errorf("%s", why)
	}
	return answer{"done": count, "wall_s": wall.Seconds(), "allocations": after.Mallocs - before.Mallocs,
		"allocated_bytes": after.TotalAlloc - before.TotalAlloc}, nil
}

// watch opens that many watches of one object each, one after the other, from the present version on.
func (w *work) watch(ctx context.Context, count int) (answer, error) {
	present, err := w.objects.List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return nil, err
	}
	for i := range count {
		open, err := w.objects.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + preparedName(i),
			ResourceVersion: present.ResourceVersion, AllowWatchBookmarks: true})
		if err != nil {
			return nil, err
		}
		go w.read(open.ResultChan())
	}
	return answer{"watching": count}, nil
}

func (w *work) read(events <-chan watch.Event) {
	for event := range events {
		if event.Type == watch.Modified && w.seen.Add(1) == w.goal.Load() {
			w.news <- nil
		}
	}
	w.news <- fmt.Errorf("a watch has ended")
}

// events waits until the watches have had that many events since they were opened; once in a program's life.
func (w *work) events(count int) (answer, error) {
	w.goal.Store(int64(count))
	if w.seen.Load() < int64(count) {
		if err := <-w.news; err != nil {
			return nil, err
		}
	}
	return answer{"seen": w.seen.Load()}, nil
}
