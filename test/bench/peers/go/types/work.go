package main

import (
	"bytes"
	"time"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
)

// work is the pods, and what is measured of them.
type work struct {
	codec  *codec
	bodies [][]byte
	// The decoded pods, as an informer keeps them.
	pods []*corev1.Pod
	out  bytes.Buffer
	// Used, so that the compiler cannot omit the reads.
	sum    int
	failed error
}

func (w *work) store() error {
	w.pods = make([]*corev1.Pod, len(w.bodies))
	for i := range w.bodies {
		w.pods[i] = w.pod(i)
	}
	return w.failed
}

func (w *work) pod(i int) *corev1.Pod {
	pod, err := w.codec.decode(w.bodies[i])
	if err != nil {
		w.failed = err
	}
	return pod
}

func one(pod *corev1.Pod) int { return len(pod.Spec.NodeName) }

func ten(pod *corev1.Pod) int {
	return len(pod.Name) + len(pod.Namespace) + len(pod.UID) + len(pod.Labels["app"]) + len(pod.Spec.NodeName) +
		len(pod.Spec.ServiceAccountName) + len(pod.Spec.Containers[0].Image) + len(pod.Status.Phase) + len(pod.Status.PodIP) +
		int(pod.Status.ContainerStatuses[0].RestartCount)
}

// steps returns what is measured. Each goes over all pods.
func (w *work) steps() []step {
	return []step{
		{"decode_1", func() { w.over(func(i int) { w.sum += one(w.pod(i)) }) }},
		{"decode_10", func() { w.over(func(i int) { w.sum += ten(w.pod(i)) }) }},
		{"read_1", func() {
			for _, pod := range w.pods { // no call in between: a read takes a nanosecond
				w.sum += one(pod)
			}
		}},
		{"read_10", w.readTen},
		{"to_struct", func() { w.over(func(i int) { w.sum += len(w.pod(i).Name) }) }},
		{"copy", func() { w.over(func(i int) { w.sum += len(w.pods[i].DeepCopy().Name) }) }},
		{"encode", func() { w.over(w.encode) }},
	}
}

type step struct {
	name string
	pass func()
}

func (w *work) over(visit func(i int)) {
	for i := range w.bodies {
		visit(i)
	}
}

func (w *work) readTen() {
	for _, pod := range w.pods {
		w.sum += ten(pod)
	}
}

func (w *work) encode(i int) {
	w.out.Reset()
	if err := w.codec.serializer.Encode(w.pods[i], &w.out); err != nil {
		w.failed = err
	}
	w.sum += w.out.Len()
}

// each returns the nanoseconds of CPU, of all threads, that a pass takes. The first one is not counted.
func each(least time.Duration, pass func()) float64 {
	pass()
	begin := cpu()
	for passes := 1; ; passes++ {
		pass()
		if taken := cpu() - begin; taken >= least {
			return float64(taken) / float64(passes)
		}
	}
}

func cpu() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}
