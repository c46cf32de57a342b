//! How the allocator returns memory.

#[cfg(feature = "jemalloc")]
pub fn give_back() {
    use std::ptr::null_mut;

    let all_arenas = c"arena.4096.purge";
    // SAFETY: the control takes and returns no value.
    unsafe { tikv_jemalloc_sys::mallctl(all_arenas.as_ptr(), null_mut(), null_mut(), null_mut(), 0) };
}

#[cfg(not(any(feature = "jemalloc", feature = "mimalloc")))]
pub fn give_back() {
    // SAFETY: has no preconditions.
    unsafe { libc::malloc_trim(0) };
}

/// mimalloc returns freed pages by itself after a moment.
#[cfg(all(feature = "mimalloc", not(feature = "jemalloc")))]
pub fn give_back() {}

/// Resident bytes of this process after releasable memory was returned.
pub fn resident_bytes() -> u64 {
    give_back();
    let pages = std::fs::read_to_string("/proc/self/statm").expect("statm");
    let resident = pages.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok()).expect("pages");
    // SAFETY: has no preconditions.
    resident * unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64
}
