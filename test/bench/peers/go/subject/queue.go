package main

import (
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

const workingSet = 1000

type keyQueue = workqueue.TypedRateLimitingInterface[cache.ObjectName]

// queues are the kinds of work queue that can be measured; with the tag controllerruntime also its priority queue.
var queues = map[string]func() keyQueue{
	"client-go": func() keyQueue {
		return workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]())
	},
}

// queueTimes measures a kind of work queue by itself: see the README of the bench, command `queue`.
func queueTimes(newQueue func() keyQueue, count int64) answer {
	keys := make([]cache.ObjectName, count)
	for i := range keys {
		keys[i] = cache.ObjectName{Namespace: fmt.Sprintf("namespace-%d", i%100), Name: fmt.Sprintf("pod-%07d", i)}
	}
	times := answer{}
	measure := func(name string, run func(keyQueue) float64) {
		queue := newQueue()
		times[name] = run(queue)
		if !queue.ShuttingDown() { // the priority queue cannot be shut down twice
			queue.ShutDown()
		}
	}
	measure("cycle_ns", func(queue keyQueue) float64 { return cycle(queue, keys) })
	measure("add_ns", func(queue keyQueue) float64 {
		begin := time.Now()
		for _, key := range keys {
			queue.Add(key)
		}
		added := perKey(begin, len(keys))
		begin = time.Now()
		for range keys {
			finishOne(queue)
		}
		times["get_done_ns"] = perKey(begin, len(keys))
		return added
	})
	measure("add_after_ns", func(queue keyQueue) float64 {
		resident := residentBytes()
		took := addAfter(queue, keys)
		times["add_after_bytes"] = float64(residentBytes()-resident) / float64(max(len(keys), 1))
		return took
	})
	measure("contended_ns", func(queue keyQueue) float64 { return contended(queue, keys) })
	return times
}

func perKey(begin time.Time, keys int) float64 {
	return float64(time.Since(begin)) / float64(max(keys, 1))
}

func finishOne(queue keyQueue) bool {
	key, shutdown := queue.Get()
	if shutdown {
		return false
	}
	queue.Forget(key)
	queue.Done(key)
	return true
}

func cycle(queue keyQueue, keys []cache.ObjectName) float64 {
	few := keys[:min(workingSet, len(keys))]
	begin := time.Now()
	cycles := 0
	for cycles < len(keys) {
		for _, key := range few {
			queue.Add(key)
			finishOne(queue)
		}
		cycles += len(few)
	}
	return perKey(begin, cycles)
}

// addAfter adds out of order, as failures come: in steps of a prime. Its time ends when the last call returns.
func addAfter(queue keyQueue, keys []cache.ObjectName) float64 {
	begin := time.Now()
	place := 0
	for _, key := range keys {
		queue.AddAfter(key, time.Hour+time.Hour*time.Duration(place)/time.Duration(len(keys)))
		place = (place + 7919) % len(keys)
	}
	return perKey(begin, len(keys))
}

// contended has two goroutines that add and four that get and finish, until all keys are done.
func contended(queue keyQueue, keys []cache.ObjectName) float64 {
	const producers, workers = 2, 4
	part := len(keys) / producers
	begin := time.Now()
	var working, adding sync.WaitGroup
	for range workers {
		working.Go(func() {
			for finishOne(queue) {
			}
		})
	}
	for p := range producers {
		adding.Go(func() {
			for _, key := range keys[p*part : (p+1)*part] {
				queue.Add(key)
			}
		})
	}
	adding.Wait()
	queue.ShutDownWithDrain()
	working.Wait()
	return perKey(begin, part*producers)
}
