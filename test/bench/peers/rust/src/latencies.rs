use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

const PER_POWER: usize = 128;

/// Counts durations in buckets that widen with the value, 128 to each power of two: a percentile is off by less than
/// one percent and recording never allocates or locks.
pub struct Latencies {
    buckets: Vec<AtomicU64>,
    max: AtomicI64,
}

fn bucket_of(value: u64) -> usize {
    if value < 2 * PER_POWER as u64 {
        return value as usize;
    }
    let shift = (2 * PER_POWER as u64 - 1).leading_zeros() - value.leading_zeros();
    shift as usize * PER_POWER + (value >> shift) as usize
}

/// The largest value that falls into a bucket.
fn upper_end(bucket: usize) -> i64 {
    if bucket < 2 * PER_POWER {
        return bucket as i64;
    }
    let shift = bucket / PER_POWER - 1;
    (((bucket - shift * PER_POWER + 1) as i64) << shift) - 1
}

impl Latencies {
    pub fn new() -> Self {
        Self { buckets: (0..64 * PER_POWER).map(|_| AtomicU64::new(0)).collect(), max: AtomicI64::new(0) }
    }

    pub fn clear(&self) {
        self.buckets.iter().for_each(|b| b.store(0, Relaxed));
        self.max.store(0, Relaxed);
    }

    pub fn record(&self, nanoseconds: i64) {
        let value = nanoseconds.max(0);
        self.buckets[bucket_of(value as u64)].fetch_add(1, Relaxed);
        self.max.fetch_max(value, Relaxed);
    }

    /// Microseconds of the given quantile; 0 without values.
    pub fn microseconds(&self, quantile: f64) -> f64 {
        let max = self.max.load(Relaxed);
        let count: u64 = self.buckets.iter().map(|b| b.load(Relaxed)).sum();
        let wanted = (quantile * count as f64 + 0.5) as u64;
        let mut seen = 0;
        for (bucket, counted) in self.buckets.iter().map(|b| b.load(Relaxed)).enumerate() {
            seen += counted;
            if counted != 0 && seen >= wanted {
                return upper_end(bucket).min(max) as f64 / 1000.0;
            }
        }
        max as f64 / 1000.0
    }
}
