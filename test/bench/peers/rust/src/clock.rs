/// CLOCK_MONOTONIC in nanoseconds, the clock of the replay server's stamps.
pub fn now() -> i64 {
    let mut at = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `at` is valid for writing, and this clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut at) };
    at.tv_sec * 1_000_000_000 + at.tv_nsec
}
