package main

import "math/bits"

// latencies counts durations in buckets that widen with the value: 128 to each power of two, so a percentile is off by
// less than one percent and recording never allocates.
type latencies struct {
	buckets [64 * bucketsPerPower]uint64
	count   uint64
	max     int64
}

const bucketsPerPower = 128

func bucketOf(nanoseconds int64) int {
	value := uint64(nanoseconds)
	if value < 2*bucketsPerPower {
		return int(value)
	}
	shift := bits.Len64(value) - bits.Len64(2*bucketsPerPower-1)
	return shift*bucketsPerPower + int(value>>shift)
}

// upperEnd is the largest value that falls into a bucket.
func upperEnd(bucket int) int64 {
	if bucket < 2*bucketsPerPower {
		return int64(bucket)
	}
	shift := bucket/bucketsPerPower - 1
	return (int64(bucket-shift*bucketsPerPower)+1)<<shift - 1
}

func (l *latencies) record(nanoseconds int64) {
	nanoseconds = max(nanoseconds, 0)
	l.buckets[bucketOf(nanoseconds)]++
	l.count++
	l.max = max(l.max, nanoseconds)
}

// microseconds of the given quantile; 0 without values.
func (l *latencies) microseconds(quantile float64) float64 {
	wanted := uint64(quantile*float64(l.count) + 0.5)
	seen := uint64(0)
	for bucket, count := range l.buckets {
		seen += count
		if count != 0 && seen >= wanted {
			return float64(min(upperEnd(bucket), l.max)) / 1000
		}
	}
	return float64(l.max) / 1000
}
