// The client-go subject of the bench: an informer whose handler feeds a workqueue whose one worker reads three fields
// from the lister. Commands come from stdin, one per line, and each is answered by a line of JSON on stdout;
// test/bench/README.md describes them.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/rest"
)

func main() {
	var o options
	flag.StringVar(&o.server, "server", "", "URL of the replay server")
	flag.StringVar(&o.ca, "ca", "", "CA file for an https server")
	flag.StringVar(&o.kubeconfig, "kubeconfig", "", "a cluster in place of the replay server")
	flag.StringVar(&o.namespace, "namespaces", "", "the one namespace of the informer; empty for all")
	arrivals := flag.String("arrivals", "", "file for the stamp and the time of each reconcile")
	flag.StringVar(&o.resource, "resource", "pods", "pods or widgets")
	flag.StringVar(&o.mode, "mode", "typed-protobuf", "typed-protobuf, typed-json, dynamic or controller")
	flag.BoolVar(&o.stripManagedFields, "strip-managed-fields", false, "drop managedFields in a transform")
	queue := flag.String("queue", "client-go", "kind of work queue that the command queue measures: client-go or priority")
	flag.Parse()

	requests := &requests{}
	newQueue, known := queues[*queue]
	if !known {
		fail(fmt.Errorf("no such queue here: %q", *queue))
	}
	s := &subject{requests: requests, newQueue: newQueue}
	if err := s.build(o); err != nil {
		fail(err)
	}
	s.pipeline.keepArrivals(*arrivals)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 0 {
			continue
		}
		if words[0] == "quit" {
			return
		}
		if err := s.run(words); err != nil {
			s.answer(answer{"error": err.Error()})
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "client-go subject:", err)
	os.Exit(1)
}

// newController creates controller-runtime's controller in place of informer, handler, queue and worker, and returns its
// start function. Only with the tag controllerruntime.
var newController func(*rest.Config, *pipeline) (func() error, error)

type subject struct {
	pipeline *pipeline
	// returns when the handler has had the initial list
	start    func() error
	requests *requests
	newQueue func() keyQueue
	output   sync.Mutex
}

func (s *subject) build(o options) error {
	config, err := restConfig(o, s.requests)
	if err != nil {
		return err
	}
	if o.mode == "controller" {
		if newController == nil || o.resource != "pods" {
			return fmt.Errorf("no controller of %s here", o.resource)
		}
		s.pipeline = newPipeline(nil)
		s.start, err = newController(config, s.pipeline)
		return err
	}
	source, err := newSource(o, config)
	if err != nil {
		return err
	}
	s.pipeline = newPipeline(source)
	s.start = s.pipeline.begin
	return nil
}

type answer map[string]any

func (s *subject) answer(line answer) {
	text, err := json.Marshal(line)
	if err != nil {
		fail(err)
	}
	s.output.Lock()
	defer s.output.Unlock()
	if _, err := os.Stdout.Write(append(text, '\n')); err != nil {
		fail(err)
	}
}

func (s *subject) run(words []string) error {
	number := int64(0)
	if len(words) > 1 {
		parsed, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil {
			return err
		}
		number = parsed
	}
	if s.pipeline.source == nil && (words[0] == "relist" || words[0] == "read") {
		return fmt.Errorf("not with a controller: %s", words[0])
	}
	switch words[0] {
	case "sync":
		return s.sync()
	case "expect":
		s.expect(number)
	case "relist":
		s.relist(number)
	case "counters":
		p := s.pipeline
		s.answer(answer{"handler_calls": p.handled.Load(), "reconciled": p.reconciled.Load(),
			"lists": s.requests.lists.Load(), "missing": p.missing.Load(), "empty": p.empty.Load()})
	case "settle":
		giveBack()
		s.answer(answer{"settled": true})
	case "read":
		line, err := readTimes(s.pipeline.source)
		if err != nil {
			return err
		}
		s.answer(line)
	case "queue":
		s.answer(queueTimes(s.newQueue, number))
	default:
		s.answer(answer{"error": fmt.Sprintf("unknown command: %q", words[0])})
	}
	return nil
}

func (s *subject) sync() error {
	if err := s.start(); err != nil {
		return err
	}
	s.pipeline.drain()
	s.answer(answer{"synced": s.pipeline.reconciled.Load()})
	return nil
}

func (s *subject) expect(events int64) {
	p := s.pipeline
	before := p.reconciled.Load()
	p.expect(events)
	s.answer(answer{"armed": events})
	go func() {
		p.wait()
		p.writeArrivals()
		l := p.latencies.Load()
		s.answer(answer{
			"done": events, "reconciled": p.reconciled.Load() - before,
			"wall_s": float64(p.lastDone.Load()-p.started.Load()) / 1e9,
			"p50_us": l.microseconds(0.5), "p90_us": l.microseconds(0.9), "p99_us": l.microseconds(0.99),
			"p999_us": l.microseconds(0.999), "max_us": l.microseconds(1),
		})
	}()
}

// relist awaits a list begun from now on: until the reflector has taken it, the store has applied it and the handlers
// have processed it, including unchanged objects, which an informer without resync also delivers.
func (s *subject) relist(calls int64) {
	p := s.pipeline
	informer := p.source.informer
	lists, handled, version := s.requests.lists.Load(), p.handled.Load(), informer.LastSyncResourceVersion()
	s.answer(answer{"armed": calls})
	go func() {
		for {
			now := informer.LastSyncResourceVersion()
			stored := informer.GetIndexer().LastStoreSyncResourceVersion()
			if s.requests.lists.Load() > lists && now != version && stored == now && p.handled.Load()-handled >= calls {
				break
			}
			time.Sleep(2 * time.Millisecond)
		}
		p.settle()
		s.answer(answer{"relisted": true, "handler_calls": p.handled.Load() - handled})
	}()
}
