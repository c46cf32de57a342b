// What `kubecoro_bench_collections --subject` measures, by hand on client-go's informers, and by krt: see test/bench/README.md.
package main

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	policies = 500
	pods     = 10000
	events   = 5000

	nodes    = 5000
	manyPods = 100000
)

// selected is the result for a policy.
type selected struct {
	Name   string
	Pods   int
	Newest string
}

// load is the result for a node.
type load struct {
	Name   string
	Pods   int
	Length int
}

func (s selected) ResourceName() string { return s.Name }
func (l load) ResourceName() string     { return l.Name }

func makePod(i, app, on, version int) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "web", Name: "pod-of-a-deployment-" + strconv.Itoa(i), ResourceVersion: strconv.Itoa(version),
			Labels: map[string]string{"app": "app-" + strconv.Itoa(app), "tier": "backend"},
		},
		Spec: corev1.PodSpec{NodeName: "node-" + strconv.Itoa(on)},
	}
}

func makePolicies() (out []*corev1.ConfigMap) {
	for i := range policies {
		out = append(out, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "web", Name: "policy-" + strconv.Itoa(i),
			ResourceVersion: "1", Labels: map[string]string{"selects": "app-" + strconv.Itoa(i)}}})
	}
	return out
}

func makePods() (out []*corev1.Pod) {
	for i := range pods {
		out = append(out, makePod(i, i%policies, i%100, 1))
	}
	return out
}

// changedPods are those of the events, each of which changes one result.
func changedPods() (out []*corev1.Pod) {
	for i := range events {
		out = append(out, makePod(i*7%pods, i*7%pods%policies, i%100, 100000+i))
	}
	return out
}

func makeNodes() (out []*corev1.Node) {
	for i := range nodes {
		out = append(out, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-" + strconv.Itoa(i), ResourceVersion: "1"}})
	}
	return out
}

// podsByNode are the pods at first, and with another version of each hundredth.
func podsByNode() (first, second []*corev1.Pod) {
	for i := range manyPods {
		first = append(first, makePod(i, i%500, i*31%nodes, 1))
		if uint32(i)*2654435761/65536%100 == 0 {
			second = append(second, makePod(i, i%500, i*31%nodes, 200000+i))
		} else {
			second = append(second, first[i].DeepCopy())
		}
	}
	return first, second
}

func cpu() time.Duration {
	var r syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

type figures struct {
	eventUs, p99Us, firstUs, relistMs float64
	computed                          int64
}

// measureEvents returns CPU for each event, and the longest time but one in a hundred until `seen` has one.
func measureEvents(send func(*corev1.Pod), seen <-chan struct{}) (us, p99Us float64) {
	all := changedPods()
	took := make([]float64, 0, len(all))
	begun := cpu()
	for _, p := range all {
		at := time.Now()
		send(p)
		<-seen
		took = append(took, float64(time.Since(at).Nanoseconds())/1e3)
	}
	us = float64((cpu() - begun).Nanoseconds()) / 1e3 / float64(len(all))
	sort.Float64s(took)
	return us, took[len(took)*99/100]
}

func main() {
	if len(os.Args) != 2 || (os.Args[1] != "client-go" && os.Args[1] != "krt") {
		fmt.Fprintln(os.Stderr, "usage: go_collections client-go|krt")
		os.Exit(2)
	}
	f := byKrt
	if os.Args[1] == "client-go" {
		f = byHand
	}
	r := f()
	fmt.Printf("%.2f %.1f %.3f %.1f %d\n", r.eventUs, r.p99Us, r.firstUs, r.relistMs, r.computed)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
