package main

import (
	"bufio"
	"fmt"
	"os"
)

// arrival is a reconcile: the object's stamp and when the worker had read it.
type arrival struct{ stamp, at int64 }

func (p *pipeline) keepArrivals(file string) { p.arrivalsFile = file }

// writeArrivals writes a line for each reconcile so far; the stamps tell those of a stretch.
func (p *pipeline) writeArrivals() {
	if p.arrivalsFile == "" {
		return
	}
	file, err := os.Create(p.arrivalsFile)
	if err != nil {
		fail(err)
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	for _, a := range p.arrivals {
		fmt.Fprintln(out, a.stamp, a.at)
	}
	if err := out.Flush(); err != nil {
		fail(err)
	}
}
