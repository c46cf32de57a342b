//go:build controllerruntime

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	sources "sigs.k8s.io/controller-runtime/pkg/source"
)

func init() {
	queues["priority"] = func() keyQueue { return priorityqueue.New[toolscache.ObjectName]("bench") }
	newController = podController
}

type requestQueue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// podController is controller-runtime's cache and controller as its manager creates them, with its defaults
// (protobuf, priority queue, one reconcile at a time), except that reads do not copy objects.
func podController(config *rest.Config, p *pipeline) (func() error, error) {
	objects, err := podCache(config)
	if err != nil {
		return nil, err
	}
	loop, err := controller.NewUnmanaged("bench", controller.Options{
		Reconciler: reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
			var pod corev1.Pod
			err := objects.Get(ctx, request.NamespacedName, &pod)
			p.record(podFields(&pod), err)
			p.reconciled.Add(1)
			return reconcile.Result{}, nil
		}),
		// The default, but keeps a reference for its length.
		NewQueue: func(name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) requestQueue {
			queue := priorityqueue.New(name, func(o *priorityqueue.Opts[reconcile.Request]) { o.RateLimiter = limiter })
			p.waiting = queue.Len
			return queue
		},
	})
	if err != nil {
		return nil, err
	}
	pods := &syncSource{
		SyncingSource: sources.Kind[*corev1.Pod](objects, &corev1.Pod{}, &counting{pipeline: p}),
		synced:        make(chan struct{}),
	}
	if err := loop.Watch(pods); err != nil {
		return nil, err
	}
	return func() error {
		run := func(part interface{ Start(context.Context) error }) {
			if err := part.Start(context.Background()); err != nil {
				fail(err)
			}
		}
		go run(objects)
		go run(loop)
		<-pods.synced
		return nil
	}, nil
}

func podCache(config *rest.Config) (cache.Cache, error) {
	pods := schema.GroupVersion{Version: "v1"}
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{pods})
	mapper.Add(pods.WithKind("Pod"), meta.RESTScopeNamespace)
	uncopied := true
	return cache.New(config, cache.Options{
		Scheme: scheme.Scheme, Mapper: mapper, DefaultUnsafeDisableDeepCopy: &uncopied,
	})
}

// syncSource reports when its handler has had the initial list.
type syncSource struct {
	sources.SyncingSource
	synced chan struct{}
}

func (s *syncSource) WaitForSync(ctx context.Context) error {
	err := s.SyncingSource.WaitForSync(ctx)
	close(s.synced)
	return err
}

// counting enqueues an object, and counts it.
type counting struct {
	handler.TypedEnqueueRequestForObject[*corev1.Pod]
	pipeline *pipeline
}

func (c *counting) Create(ctx context.Context, e event.TypedCreateEvent[*corev1.Pod], q requestQueue) {
	c.TypedEnqueueRequestForObject.Create(ctx, e, q)
	c.pipeline.count()
}

func (c *counting) Update(ctx context.Context, e event.TypedUpdateEvent[*corev1.Pod], q requestQueue) {
	c.TypedEnqueueRequestForObject.Update(ctx, e, q)
	c.pipeline.count()
}

func (c *counting) Delete(ctx context.Context, e event.TypedDeleteEvent[*corev1.Pod], q requestQueue) {
	c.TypedEnqueueRequestForObject.Delete(ctx, e, q)
	c.pipeline.count()
}
