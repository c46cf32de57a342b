#include <kubecoro/test/allocations.hpp>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace kubecoro::test {

namespace {

thread_local constinit allocation_count counted;
/// Number of calls until one fails; 0: none fails.
thread_local constinit std::uint64_t until_failure = 0;

/// Returns null when the allocation fails, or when it is the one that fail_allocation() selected.
void* try_to_allocate(std::size_t bytes, std::size_t alignment = 0) noexcept
{
    ++counted.calls;
    counted.bytes += bytes;
    if (until_failure != 0 && --until_failure == 0) return nullptr;
    if (alignment == 0) return std::malloc(bytes);
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* counted_allocation(std::size_t bytes, std::size_t alignment = 0)
{
    void* at = try_to_allocate(bytes, alignment);
    if (!at) throw std::bad_alloc();
    return at;
}

} // namespace

allocation_count allocations_so_far() noexcept { return counted; }
void fail_allocation(std::uint64_t nth) noexcept { until_failure = nth; }

} // namespace kubecoro::test

void* operator new(std::size_t bytes) { return kubecoro::test::counted_allocation(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment)
{
    return kubecoro::test::counted_allocation(bytes, static_cast<std::size_t>(alignment));
}
// Used by std::stable_sort. The address sanitizer's version would not match the delete below.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return kubecoro::test::try_to_allocate(bytes); }
// The address sanitizer has its own, which are not counted.
void* operator new[](std::size_t bytes) { return kubecoro::test::counted_allocation(bytes); }
void operator delete[](void* at) noexcept { std::free(at); }
void operator delete[](void* at, std::size_t) noexcept { std::free(at); }
void operator delete(void* at) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }
void operator delete(void* at, std::align_val_t) noexcept { std::free(at); }
void operator delete(void* at, std::size_t, std::align_val_t) noexcept { std::free(at); }
