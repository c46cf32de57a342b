package main

import (
	"context"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// source is a list and a watch in memory.
type source[T any] struct {
	list    func() runtime.Object
	watches chan *watch.FakeWatcher
}

func (s *source[T]) watcher() cache.ListerWatcher {
	return &cache.ListWatch{
		ListFunc: func(metav1.ListOptions) (runtime.Object, error) { return s.list(), nil },
		WatchFunc: func(metav1.ListOptions) (watch.Interface, error) {
			w := watch.NewFakeWithChanSize(1, false)
			s.watches <- w
			return w, nil
		},
	}
}

func newSource[T any](list func() runtime.Object) *source[T] {
	return &source[T]{list: list, watches: make(chan *watch.FakeWatcher, 4)}
}

// computed holds results by key, which a worker computes when their keys are queued, and passes on those that differ.
type computed[T comparable] struct {
	queue   workqueue.TypedInterface[string]
	compute func(key string) (T, bool)
	changed func(key string)
	mutex   sync.Mutex
	results map[string]T
}

func newComputed[T comparable](compute func(string) (T, bool), changed func(string)) *computed[T] {
	c := &computed[T]{queue: workqueue.NewTyped[string](), compute: compute, changed: changed, results: map[string]T{}}
	go c.work()
	return c
}

func (c *computed[T]) work() {
	for {
		key, over := c.queue.Get()
		if over {
			return
		}
		now, exists := c.compute(key)
		c.mutex.Lock()
		before, had := c.results[key]
		if exists {
			c.results[key] = now
		} else {
			delete(c.results, key)
		}
		c.mutex.Unlock()
		c.queue.Done(key)
		if exists != had || now != before {
			c.changed(key)
		}
	}
}

func list[T any, L runtime.Object](l L, into *[]T, all []*T, version string, meta *metav1.ListMeta) runtime.Object {
	*into = make([]T, len(all))
	for i, o := range all {
		(*into)[i] = *o
	}
	meta.ResourceVersion = version
	return l
}

func podList(all []*corev1.Pod, version string) runtime.Object {
	l := &corev1.PodList{}
	return list(l, &l.Items, all, version, &l.ListMeta)
}

func byHand() (out figures) {
	must(os.Setenv("KUBE_FEATURE_WatchListClient", "false"))
	bare, _ := handEvents(false)
	whole, p99 := handEvents(true)
	out.eventUs, out.p99Us = whole-bare, p99
	handNodes(&out)
	return out
}

func handEvents(derives bool) (float64, float64) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	firstPods := makePods()
	podSource := newSource[corev1.Pod](func() runtime.Object { return podList(firstPods, "1") })
	policySource := newSource[corev1.ConfigMap](func() runtime.Object {
		l := &corev1.ConfigMapList{}
		return list(l, &l.Items, makePolicies(), "1", &l.ListMeta)
	})
	podInformer := cache.NewSharedIndexInformer(podSource.watcher(), &corev1.Pod{}, 0, cache.Indexers{})
	policyInformer := cache.NewSharedIndexInformer(policySource.watcher(), &corev1.ConfigMap{}, 0, cache.Indexers{})
	seen := make(chan struct{}, pods)
	if derives {
		followPolicies(podInformer, policyInformer, func(string) { seen <- struct{}{} })
	} else {
		_, err := podInformer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, _ any) { seen <- struct{}{} }})
		must(err)
	}
	go podInformer.RunWithContext(ctx)
	go policyInformer.RunWithContext(ctx)
	cache.WaitForCacheSync(ctx.Done(), podInformer.HasSynced, policyInformer.HasSynced)
	w := <-podSource.watches
	if derives {
		drain(seen)
	}
	return measureEvents(func(p *corev1.Pod) { w.Modify(p) }, seen)
}

// followPolicies keeps the result of each policy: pods by label, and the policies that name a label.
func followPolicies(podInformer, policyInformer cache.SharedIndexInformer, changed func(string)) {
	must(podInformer.AddIndexers(cache.Indexers{"app": func(o any) ([]string, error) {
		return []string{o.(*corev1.Pod).Labels["app"]}, nil
	}}))
	var mutex sync.Mutex
	naming := map[string]map[string]labels.Selector{} // app -> policy -> its selector
	c := newComputed(func(key string) (selected, bool) {
		o, exists, err := policyInformer.GetIndexer().GetByKey(key)
		must(err)
		if !exists {
			return selected{}, false
		}
		app := o.(*corev1.ConfigMap).Labels["selects"]
		selector, err := labels.Parse("tier=backend,app=" + app)
		must(err)
		mine, err := podInformer.GetIndexer().ByIndex("app", app)
		must(err)
		r := selected{Name: key}
		for _, each := range mine {
			if p := each.(*corev1.Pod); selector.Matches(labels.Set(p.Labels)) {
				r.Pods++
				r.Newest = max(r.Newest, p.ResourceVersion)
			}
		}
		return r, true
	}, changed)
	_, err := policyInformer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(o any) {
		p := o.(*corev1.ConfigMap)
		key, _ := cache.MetaNamespaceKeyFunc(p)
		selector, err := labels.Parse("tier=backend,app=" + p.Labels["selects"])
		must(err)
		mutex.Lock()
		if naming[p.Labels["selects"]] == nil {
			naming[p.Labels["selects"]] = map[string]labels.Selector{}
		}
		naming[p.Labels["selects"]][key] = selector
		mutex.Unlock()
		c.queue.Add(key)
	}})
	must(err)
	touch := func(o any) {
		set := labels.Set(o.(*corev1.Pod).Labels)
		mutex.Lock()
		defer mutex.Unlock()
		for key, selector := range naming[set["app"]] {
			if selector.Matches(set) {
				c.queue.Add(key)
			}
		}
	}
	_, err = podInformer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: touch, DeleteFunc: touch, UpdateFunc: func(before, now any) { touch(before); touch(now) }})
	must(err)
}

func handNodes(out *figures) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	first, second := podsByNode()
	now, version := first, "1"
	podSource := newSource[corev1.Pod](func() runtime.Object { return podList(now, version) })
	nodeSource := newSource[corev1.Node](func() runtime.Object {
		l := &corev1.NodeList{}
		return list(l, &l.Items, makeNodes(), "1", &l.ListMeta)
	})
	podInformer := cache.NewSharedIndexInformer(podSource.watcher(), &corev1.Pod{}, 0, cache.Indexers{
		"node": func(o any) ([]string, error) { return []string{o.(*corev1.Pod).Spec.NodeName}, nil }})
	nodeInformer := cache.NewSharedIndexInformer(nodeSource.watcher(), &corev1.Node{}, 0, cache.Indexers{})
	go podInformer.RunWithContext(ctx)
	go nodeInformer.RunWithContext(ctx)
	cache.WaitForCacheSync(ctx.Done(), podInformer.HasSynced, nodeInformer.HasSynced)
	w := <-podSource.watches
	begun := cpu()
	calls := int64(0)
	seen := make(chan struct{}, manyPods)
	c := newComputed(func(key string) (load, bool) {
		calls++
		if _, exists, err := nodeInformer.GetIndexer().GetByKey(key); err != nil || !exists {
			return load{}, false
		}
		mine, err := podInformer.GetIndexer().ByIndex("node", key)
		must(err)
		r := load{Name: key}
		for _, each := range mine {
			r.Pods++
			r.Length += len(each.(*corev1.Pod).ResourceVersion)
		}
		return r, true
	}, func(string) { seen <- struct{}{} })
	touch := func(o any) { c.queue.Add(o.(*corev1.Pod).Spec.NodeName) }
	nodeHandler, err := nodeInformer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) { c.queue.Add(o.(*corev1.Node).Name) }, DeleteFunc: func(o any) { c.queue.Add(o.(*corev1.Node).Name) }})
	must(err)
	podHandler, err := podInformer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: touch, DeleteFunc: touch, UpdateFunc: func(before, now any) {
			a, b := before.(*corev1.Pod), now.(*corev1.Pod)
			if a.ResourceVersion != b.ResourceVersion {
				touch(a)
				touch(b)
			}
		}})
	must(err)
	for !nodeHandler.HasSynced() || !podHandler.HasSynced() || c.queue.Len() != 0 {
		time.Sleep(time.Millisecond)
	}
	out.firstUs = float64((cpu() - begun).Nanoseconds()) / 1e3 / (manyPods + nodes)
	drain(seen)
	now, version, calls = second, "900000", 0
	begun = cpu()
	w.Error(&metav1.Status{Status: metav1.StatusFailure, Code: 410, Reason: metav1.StatusReasonExpired})
	<-podSource.watches
	<-seen // the first may take long
	drain(seen)
	out.relistMs = float64((cpu() - begun).Nanoseconds()) / 1e6
	out.computed = calls
}

// drain returns when nothing was seen for half a second.
func drain(seen <-chan struct{}) {
	for {
		select {
		case <-seen:
		case <-time.After(500 * time.Millisecond):
			return
		}
	}
}
