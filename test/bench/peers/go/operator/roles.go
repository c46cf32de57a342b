package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"sync/atomic"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	controllercache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type requestQueue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// newManager has controller-runtime's defaults, except that reads do not copy objects.
func newManager(config *rest.Config, options ctrl.Options) ctrl.Manager {
	uncopied := true
	options.Cache = controllercache.Options{DefaultUnsafeDisableDeepCopy: &uncopied}
	if options.Metrics.BindAddress == "" {
		options.Metrics = server.Options{BindAddress: "0"}
	}
	manager, err := ctrl.NewManager(config, options)
	must(err)
	return manager
}

// reconcileAll has controllers of config maps that read each of them and change nothing.
func reconcileAll(config *rest.Config, objects, controllers int64) {
	manager := newManager(config, ctrl.Options{})
	var reconciled, goal atomic.Int64
	goal.Store(objects * controllers)
	reached := make(chan struct{}, 1)
	var first requestQueue
	for n := range controllers {
		reader := manager.GetClient()
		of := ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).Named(fmt.Sprintf("bench-%d", n))
		if n == 0 {
			of.WatchesRawSource(source.Func(func(_ context.Context, queue requestQueue) error {
				first = queue
				return nil
			}))
		}
		must(of.Complete(reconcile.Func(func(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
			var found corev1.ConfigMap
			err := client.IgnoreNotFound(reader.Get(ctx, r.NamespacedName, &found))
			if reconciled.Add(1) == goal.Load() {
				reached <- struct{}{}
			}
			return reconcile.Result{}, err
		})))
	}
	go func() { must(manager.Start(context.Background())) }()
	<-reached
	say(answer{"ready": true, "reconciled": reconciled.Load()})

	var all corev1.ConfigMapList
	must(manager.GetClient().List(context.Background(), &all))
	var keys []types.NamespacedName
	for i := range all.Items {
		keys = append(keys, client.ObjectKeyFromObject(&all.Items[i]))
	}
	commands(func(words []string) {
		switch words[0] {
		case "again":
			before := reconciled.Load()
			for range number(words[1]) {
				goal.Store(reconciled.Load() + int64(len(keys)))
				for _, key := range keys {
					first.Add(reconcile.Request{NamespacedName: key})
				}
				<-reached
			}
			say(answer{"reconciled": reconciled.Load() - before})
		case "settle":
			debug.FreeOSMemory()
			say(answer{"settled": true})
		}
	})
}

// idle has metrics, health checks, an election, and two controllers that have nothing to do.
func idle(config *rest.Config) {
	manager := newManager(config, ctrl.Options{
		Metrics:                 server.Options{BindAddress: "127.0.0.1:0"},
		HealthProbeBindAddress:  "127.0.0.1:0",
		LeaderElection:          true,
		LeaderElectionID:        "idle-go",
		LeaderElectionNamespace: "default",
	})
	must(manager.AddHealthzCheck("ping", healthz.Ping))
	must(manager.AddReadyzCheck("ping", healthz.Ping))
	nothing := reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) { return reconcile.Result{}, nil })
	must(ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).Complete(nothing))
	must(ctrl.NewControllerManagedBy(manager).For(&corev1.Pod{}).Complete(nothing))
	go func() { must(manager.Start(context.Background())) }()
	<-manager.Elected()
	manager.GetCache().WaitForCacheSync(context.Background())
	serveIdle()
}

// agent has client-go's informer of the pods of a node.
func agent(config *rest.Config, node string) {
	clientset, err := kubernetes.NewForConfig(rest.CopyConfig(config))
	must(err)
	ofNode := informers.WithTweakListOptions(func(o *metav1.ListOptions) {
		o.FieldSelector = fields.OneTermEqualSelector("spec.nodeName", node).String()
	})
	factory := informers.NewSharedInformerFactoryWithOptions(clientset, 0, ofNode)
	pods := factory.Core().V1().Pods().Informer()
	factory.Start(nil)
	cache.WaitForCacheSync(nil, pods.HasSynced)
	if len(pods.GetStore().ListKeys()) == 0 {
		fail(fmt.Errorf("no pods of %s", node))
	}
	serveIdle()
}

// serveIdle answers when everything has synced.
func serveIdle() {
	say(answer{"ready": true})
	commands(func([]string) {
		debug.FreeOSMemory()
		say(answer{"settled": true})
	})
}

// lead is a candidate with controller-runtime's defaults, which releases the Lease when it is told to stop.
func lead(config *rest.Config, lease string) {
	manager := newManager(config, ctrl.Options{
		LeaderElection:                true,
		LeaderElectionID:              lease,
		LeaderElectionNamespace:       "default",
		LeaderElectionReleaseOnCancel: true,
	})
	running, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() {
		<-manager.Elected()
		say(answer{"leading": true})
	}()
	say(answer{"ready": true})
	must(manager.Start(running))
	os.Exit(0)
}
