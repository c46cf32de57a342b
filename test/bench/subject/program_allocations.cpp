#include "program_allocations.hpp"

#include <openssl/crypto.h>

#include <atomic>
#include <cstdlib>

namespace kubecoro::bench {

namespace {

std::atomic<std::uint64_t> calls = 0;
std::atomic<std::uint64_t> bytes = 0;

void count(std::size_t size) noexcept
{
    calls.fetch_add(1, std::memory_order_relaxed);
    bytes.fetch_add(size, std::memory_order_relaxed);
}

void* allocate(std::size_t size, const char*, int) noexcept
{
    count(size);
    return std::malloc(size);
}

void* reallocate(void* at, std::size_t size, const char*, int) noexcept
{
    count(size);
    return std::realloc(at, size);
}

void release(void* at, const char*, int) noexcept { std::free(at); }

} // namespace

bool count_allocations_of_openssl() noexcept { return CRYPTO_set_mem_functions(allocate, reallocate, release) == 1; }

test::allocation_count program_allocations() noexcept
{
    auto sum = test::allocations_so_far();
    sum.calls += calls.load(std::memory_order_relaxed);
    sum.bytes += bytes.load(std::memory_order_relaxed);
    return sum;
}

} // namespace kubecoro::bench
