package main

import (
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// pipeline is the structure of a client-go controller: handler -> rate limiting queue -> one worker -> lister.
type pipeline struct {
	source *source
	queue  workqueue.TypedRateLimitingInterface[cache.ObjectName]
	clock  monotonic
	// waiting keys; a controller of controller-runtime has its own queue
	waiting func() int

	handled    atomic.Int64 // handler calls
	reconciled atomic.Int64
	missing    atomic.Int64 // reconciles whose object the lister did not have
	lastDone   atomic.Int64 // when the last reconcile ended
	empty      atomic.Int64 // reconciles that found one of the three fields empty

	goal      atomic.Int64 // handled at which `reached` is signalled
	start     atomic.Int64 // handled at which a measured stretch begins
	started   atomic.Int64 // the time of that
	reached   chan struct{}
	latencies atomic.Pointer[latencies]

	arrivalsFile string    // empty: not kept
	arrivals     []arrival // the worker's until wait has returned
}

func newPipeline(source *source) *pipeline {
	p := &pipeline{
		source:  source,
		queue:   workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]()),
		clock:   newMonotonic(),
		reached: make(chan struct{}, 1),
	}
	p.waiting = p.queue.Len
	p.latencies.Store(&latencies{})
	return p
}

func (p *pipeline) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    p.handle,
		UpdateFunc: func(_, object any) { p.handle(object) },
		DeleteFunc: p.handle,
	}
}

func (p *pipeline) handle(object any) {
	name, err := cache.DeletionHandlingObjectToName(object)
	if err != nil {
		panic(err)
	}
	p.queue.Add(name)
	p.count()
}

// count counts a call of the handler whose key is in the queue.
func (p *pipeline) count() {
	handled := p.handled.Add(1)
	if handled == p.start.Load() {
		p.started.Store(p.clock.now())
	}
	if handled == p.goal.Load() {
		p.reached <- struct{}{}
	}
}

func (p *pipeline) work() {
	for {
		name, shutdown := p.queue.Get()
		if shutdown {
			return
		}
		p.record(p.source.get(name))
		p.queue.Forget(name)
		p.queue.Done(name)
		p.reconciled.Add(1)
	}
}

// begin runs informer and worker, and returns when the handler has had the initial list.
func (p *pipeline) begin() error {
	informer := p.source.informer
	registration, err := informer.AddEventHandler(p.handler())
	if err != nil {
		return err
	}
	go p.work()
	go informer.Run(nil)
	if !cache.WaitForCacheSync(nil, registration.HasSynced) {
		return fmt.Errorf("the cache did not sync")
	}
	return nil
}

// record ends a reconcile, which has read these fields.
func (p *pipeline) record(read fields, err error) {
	now := p.clock.now()
	p.lastDone.Store(now)
	if err != nil {
		p.missing.Add(1)
		return
	}
	if read.node == "" || read.phase == "" || read.stamp == "" {
		p.empty.Add(1)
		return
	}
	if stamp, err := strconv.ParseInt(read.stamp, 10, 64); err == nil && stamp != 0 {
		p.latencies.Load().record(now - stamp)
		if p.arrivalsFile != "" {
			p.arrivals = append(p.arrivals, arrival{stamp, now})
		}
	}
}

// expect starts a measured stretch of this number of handler calls; wait awaits its end.
func (p *pipeline) expect(events int64) {
	p.latencies.Store(&latencies{})
	handled := p.handled.Load()
	p.start.Store(handled + 1)
	p.goal.Store(handled + events)
}

func (p *pipeline) wait() {
	<-p.reached
	p.drain()
}

// drain returns when the queue is empty and the worker is idle. It polls: a worker that reported each idle moment would
// pay for that in the middle of a paced run.
func (p *pipeline) drain() {
	for before := int64(-1); ; {
		now := p.reconciled.Load()
		if p.waiting() == 0 && now == before {
			return
		}
		before = now
		time.Sleep(2 * time.Millisecond)
	}
}

// settle returns when no handler call has come for a while, and all events are reconciled.
func (p *pipeline) settle() {
	for handled := int64(-1); handled != p.handled.Load(); {
		handled = p.handled.Load()
		time.Sleep(20 * time.Millisecond)
		p.drain()
	}
}
