package main

import (
	"math/rand"
	"time"

	"k8s.io/client-go/tools/cache"
)

// readTimes measures the lister: a get by key, one and five fields of an existing object, and a scan of all objects by
// one field. Keys and objects are visited in a shuffled order, as a controller meets them, so that misses of the
// processor's caches count.
func readTimes(s *source) (answer, error) {
	objects, err := s.list()
	if err != nil {
		return nil, err
	}
	if len(objects) == 0 {
		return answer{"objects": 0}, nil
	}
	rand.New(rand.NewSource(1)).Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
	names := make([]cache.ObjectName, len(objects))
	for i, object := range objects {
		if names[i], err = cache.ObjectToName(object); err != nil {
			return nil, err
		}
	}

	bytes := 0 // used, so that the compiler cannot omit the reads
	get := perObject(len(names), func(i int) {
		read, _ := s.get(names[i])
		bytes += len(read.node)
	})
	one := perObject(len(objects), func(i int) { bytes += len(s.first(objects[i])) })
	five := perObject(len(objects), func(i int) {
		for _, field := range s.five(objects[i]) {
			bytes += len(field)
		}
	})
	wanted := s.first(objects[0])
	scans := 0
	begin := time.Now()
	for time.Since(begin) < measured {
		all, err := s.list()
		if err != nil {
			return nil, err
		}
		for _, object := range all {
			if s.first(object) == wanted {
				bytes++
			}
		}
		scans++
	}
	scan := float64(time.Since(begin)) / float64(scans*len(objects))
	return answer{"get_ns": get, "one_field_ns": one, "five_fields_ns": five, "scan_ns_per_object": scan,
		"bytes": bytes}, nil
}

const measured = 300 * time.Millisecond

func perObject(count int, visit func(int)) float64 {
	begin := time.Now()
	visits := 0
	for time.Since(begin) < measured {
		for i := range count {
			visit(i)
		}
		visits += count
	}
	return float64(time.Since(begin)) / float64(visits)
}
