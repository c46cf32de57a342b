package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// monotonic reads CLOCK_MONOTONIC in nanoseconds, the clock of the replay server's stamps. Go's own monotonic time is
// that clock by way of the vDSO but hides its origin, so the origin is determined once and each reading is as cheap
// as time.Since.
type monotonic struct {
	base   time.Time
	origin int64
}

func newMonotonic() monotonic {
	best := monotonic{}
	narrowest := time.Duration(1 << 62)
	for range 200 {
		base := time.Now()
		var at unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &at); err != nil {
			panic(err)
		}
		bracket := time.Since(base)
		if bracket < narrowest {
			narrowest = bracket
			best = monotonic{base: base, origin: at.Nano() - int64(bracket)/2}
		}
	}
	return best
}

func (c *monotonic) now() int64 { return c.origin + int64(time.Since(c.base)) }
