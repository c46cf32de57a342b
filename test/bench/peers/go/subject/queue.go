package main

import (
	"fmt"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

const queueKeys = 1_000_000

// queueTimes measures the work queue by itself: so many distinct keys added, then handed out, forgotten and given back
// one by one.
func queueTimes() answer {
	keys := make([]cache.ObjectName, queueKeys)
	for i := range keys {
		keys[i] = cache.ObjectName{Namespace: fmt.Sprintf("namespace-%d", i%100), Name: fmt.Sprintf("pod-%07d", i)}
	}
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]())
	defer queue.ShutDown()

	begin := time.Now()
	for _, key := range keys {
		queue.Add(key)
	}
	added := perKey(begin)
	begin = time.Now()
	for range keys {
		key, _ := queue.Get()
		queue.Forget(key)
		queue.Done(key)
	}
	done := perKey(begin)
	return answer{"add_ns": added, "get_done_ns": done, "cycle_ns": added + done}
}

func perKey(begin time.Time) float64 { return float64(time.Since(begin)) / queueKeys }
