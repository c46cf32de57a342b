package main

import (
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"

	"istio.io/istio/pkg/kube/krt"
	"istio.io/istio/pkg/log"
)

// byKrt has collections in memory as inputs, so that no informer is measured.
func byKrt() (out figures) {
	for _, scope := range log.Scopes() {
		scope.SetOutputLevel(log.NoneLevel)
	}
	stop := make(chan struct{})
	defer close(stop)
	opts := krt.NewOptionsBuilder(stop, "bench", nil)
	out.eventUs, out.p99Us = krtEvents(opts, stop)
	krtNodes(opts, stop, &out)
	return out
}

func krtEvents(opts krt.OptionsBuilder, stop chan struct{}) (float64, float64) {
	allPolicies := krt.NewStaticCollection(nil, makePolicies(), opts.WithName("policies")...)
	allPods := krt.NewStaticCollection(nil, makePods(), opts.WithName("pods")...)
	byApp := krt.NewIndex(allPods, "app", func(p *corev1.Pod) []string { return []string{p.Labels["app"]} })
	results := krt.NewCollection(allPolicies, func(ctx krt.HandlerContext, p *corev1.ConfigMap) *selected {
		app := p.Labels["selects"]
		r := selected{Name: p.Name}
		for _, each := range krt.Fetch(ctx, allPods, krt.FilterIndex(byApp, app),
			krt.FilterLabel(map[string]string{"app": app, "tier": "backend"})) {
			r.Pods++
			r.Newest = max(r.Newest, each.ResourceVersion)
		}
		return &r
	}, opts.WithName("selected")...)
	results.WaitUntilSynced(stop)
	seen := make(chan struct{}, policies)
	results.RegisterBatch(func([]krt.Event[selected]) { seen <- struct{}{} }, false)
	return measureEvents(func(p *corev1.Pod) { allPods.UpdateObject(p) }, seen)
}

func krtNodes(opts krt.OptionsBuilder, stop chan struct{}, out *figures) {
	first, second := podsByNode()
	allNodes := krt.NewStaticCollection(nil, makeNodes(), opts.WithName("nodes")...)
	allPods := krt.NewStaticCollection(nil, first, opts.WithName("many pods")...)
	begun := cpu()
	byNode := krt.NewIndex(allPods, "node", func(p *corev1.Pod) []string { return []string{p.Spec.NodeName} })
	var computed atomic.Int64
	results := krt.NewCollection(allNodes, func(ctx krt.HandlerContext, n *corev1.Node) *load {
		computed.Add(1)
		r := load{Name: n.Name}
		for _, p := range krt.Fetch(ctx, allPods, krt.FilterIndex(byNode, n.Name)) {
			r.Pods++
			r.Length += len(p.ResourceVersion)
		}
		return &r
	}, opts.WithName("loads")...)
	results.WaitUntilSynced(stop)
	out.firstUs = float64((cpu() - begun).Nanoseconds()) / 1e3 / (manyPods + nodes)
	seen := make(chan int, manyPods)
	results.RegisterBatch(func(e []krt.Event[load]) { seen <- len(e) }, false)
	computed.Store(0)
	begun = cpu()
	allPods.Reset(second)
	<-seen
	for quiet := false; !quiet; {
		select {
		case <-seen:
		case <-time.After(500 * time.Millisecond):
			quiet = true
		}
	}
	out.relistMs = float64((cpu() - begun).Nanoseconds()) / 1e6
	out.computed = computed.Load()
}
