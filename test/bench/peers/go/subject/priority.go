//go:build controllerruntime

package main

import (
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

func init() {
	queues["priority"] = func() keyQueue { return priorityqueue.New[cache.ObjectName]("bench") }
}
