package main

import (
	"fmt"
	"os"
	"runtime/debug"
)

// giveBack returns memory that the collector finds unused to the system.
func giveBack() {
	debug.FreeOSMemory()
	debug.FreeOSMemory()
}

// residentBytes is the resident memory of this process, after unused memory was returned.
func residentBytes() int64 {
	giveBack()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		fail(err)
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
		fail(err)
	}
	return resident * int64(os.Getpagesize())
}
