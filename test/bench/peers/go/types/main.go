// types is client-go's structs as a subject of the bench's types: it decodes pods, reads fields, copies and encodes them, and prints
// the figures as a line of JSON. test/bench/README.md describes them.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	file := flag.String("pods", "", "records of pods, in the form")
	form := flag.String("form", "json", "json or protobuf")
	least := flag.Int("milliseconds", 300, "time for each figure")
	flag.Parse()
	figures, err := measure(*file, *form, time.Duration(*least)*time.Millisecond)
	if err != nil {
		fmt.Fprintln(os.Stderr, "types:", err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(figures); err != nil {
		os.Exit(1)
	}
}

func measure(file, form string, least time.Duration) (map[string]float64, error) {
	codec, err := codecOf(form)
	if err != nil {
		return nil, err
	}
	bodies, err := codec.read(file)
	if err != nil {
		return nil, err
	}
	if len(bodies) == 0 {
		return nil, errors.New("no pods in " + file)
	}
	w := &work{codec: codec, bodies: bodies}
	if err := w.store(); err != nil {
		return nil, err
	}
	figures := map[string]float64{}
	for _, step := range w.steps() {
		figures[step.name] = each(least, step.pass) / float64(len(bodies))
	}
	w.sum = 0
	w.readTen()
	figures["sum"] = float64(w.sum)
	return figures, w.failed
}
