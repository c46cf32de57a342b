package main

import (
	"sync"
	"sync/atomic"
)

// inParallel does each piece of work, several at a time, and returns the first error, after which nothing new is begun.
func inParallel[T any](work []T, do func(T) error) error {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for failed.Load() == nil {
				at := next.Add(1) - 1
				if at >= int64(len(work)) {
					return
				}
				if err := do(work[at]); err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}
