// The client-go subject of the bench: an informer whose handler feeds a workqueue whose one worker reads three fields
// from the lister. Commands come from stdin, one a line, and each is answered by a line of JSON on stdout;
// test/bench/README.md has them.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
)

func main() {
	var o options
	flag.StringVar(&o.server, "server", "", "URL of the replay server")
	flag.StringVar(&o.ca, "ca", "", "CA file for an https server")
	flag.StringVar(&o.resource, "resource", "pods", "pods or widgets")
	flag.StringVar(&o.mode, "mode", "typed-protobuf", "typed-protobuf, typed-json or dynamic")
	flag.BoolVar(&o.stripManagedFields, "strip-managed-fields", false, "drop managedFields in a transform")
	queue := flag.String("queue", "client-go", "kind of work queue that the command queue measures: client-go or priority")
	flag.Parse()

	requests := &requests{}
	source, err := newSource(o, requests)
	if err != nil {
		fail(err)
	}
	newQueue, known := queues[*queue]
	if !known {
		fail(fmt.Errorf("no such queue here: %q", *queue))
	}
	s := &subject{requests: requests, pipeline: newPipeline(source), newQueue: newQueue}
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

type subject struct {
	pipeline *pipeline
	requests *requests
	newQueue func() keyQueue
	output   sync.Mutex
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
		debug.FreeOSMemory()
		debug.FreeOSMemory()
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
		s.answer(answer{"error": fmt.Sprintf("no such command: %q", words[0])})
	}
	return nil
}

func (s *subject) sync() error {
	informer := s.pipeline.source.informer
	registration, err := informer.AddEventHandler(s.pipeline.handler())
	if err != nil {
		return err
	}
	go s.pipeline.work()
	go informer.Run(nil)
	if !cache.WaitForCacheSync(nil, registration.HasSynced) {
		return fmt.Errorf("the cache did not sync")
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
		l := p.latencies.Load()
		s.answer(answer{
			"done": events, "reconciled": p.reconciled.Load() - before,
			"wall_s": float64(p.lastDone.Load()-p.started.Load()) / 1e9,
			"p50_us": l.microseconds(0.5), "p90_us": l.microseconds(0.9), "p99_us": l.microseconds(0.99),
			"p999_us": l.microseconds(0.999), "max_us": l.microseconds(1),
		})
	}()
}

// relist awaits a list begun from now on: until the reflector has taken it, the store has applied it and handlers are
// through with it, to whom an informer without resync also hands what did not change.
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
