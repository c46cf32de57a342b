#include "storage/block_life.hpp"

#include "storage/packing.hpp"

#include <mutex>
#include <new>

namespace kubecoro::detail {
namespace {

constexpr std::uint64_t one_reader = 1;
constexpr std::uint64_t expanded_bit = std::uint64_t{1} << 31;
constexpr std::uint64_t one_keeper = std::uint64_t{1} << 32;

bool one_reader_left(std::uint64_t counts) noexcept { return (counts & (expanded_bit - 1)) == one_reader; }
bool nobody_else(std::uint64_t counts) noexcept { return (counts & ~expanded_bit) == one_reader; }

void destroy(object::block& b) noexcept
{
    encoding* const e = b.encoding;
    if (b.packed) {
        packed_block& p = b.as_packed();
        free_plain(p.expanded.load(std::memory_order_relaxed));
        e->packed->release(p.dictionary);
        p.~packed_block();
        ::operator delete(&p);
    } else {
        free_plain(&b.as_plain());
    }
    if (e != nullptr) e->release();
}

// Drops the last reader of an expanded block, and frees the expansion unless another reader was added.
void drop_last_reader(packed_block& b) noexcept
{
    encoding* const e = b.encoding;
    e->retain(); // dropping the count may free the block, and with it the lock
    const plain_block* unused = nullptr;
    bool gone = false;
    {
        std::lock_guard lock(e->packed->mutex());
        for (;;) {
            std::uint64_t seen = b.counts.load(std::memory_order_acquire);
            if (!one_reader_left(seen)) {
                if (b.counts.compare_exchange_weak(seen, seen - one_reader, std::memory_order_acq_rel)) break;
                continue;
            }
            unused = b.expanded.exchange(nullptr, std::memory_order_acq_rel);
            const std::uint64_t after = (seen & ~expanded_bit) - one_reader;
            if (b.counts.compare_exchange_strong(seen, after, std::memory_order_acq_rel)) {
                gone = after == 0;
                break;
            }
            b.expanded.store(std::exchange(unused, nullptr), std::memory_order_release);
        }
    }
    if (gone) destroy(b);
    free_plain(unused);
    e->release();
}

} // namespace

void add_first_reader(object::block& b) noexcept { b.counts.fetch_add(one_reader, std::memory_order_acquire); }

void drop_reader(object::block& b) noexcept
{
    if (!b.packed) {
        // Acquire makes the reads of all other handles happen before the memory is freed.
        if (b.counts.fetch_sub(one_reader, std::memory_order_acq_rel) == one_reader) destroy(b);
        return;
    }
    std::uint64_t seen = b.counts.load(std::memory_order_acquire);
    for (;;) {
        if (nobody_else(seen)) return destroy(b);
        if (one_reader_left(seen) && (seen & expanded_bit) != 0) return drop_last_reader(b.as_packed());
        if (b.counts.compare_exchange_weak(seen, seen - one_reader, std::memory_order_acq_rel,
                                           std::memory_order_acquire))
            return;
    }
}

void add_keeper(object::block& b) noexcept { b.counts.fetch_add(one_keeper, std::memory_order_relaxed); }

void drop_keeper(object::block& b) noexcept
{
    if (b.counts.fetch_sub(one_keeper, std::memory_order_acq_rel) == one_keeper) destroy(b);
}

const plain_block* whole(const object::block& b) noexcept
{
    if (!b.packed) return &b.as_plain();
    const plain_block* known = b.as_packed().expanded.load(std::memory_order_acquire);
    if (known != nullptr) return known;
    // Only derived data changes.
    packed_block& p = const_cast<object::block&>(b).as_packed(); // NOLINT(cppcoreguidelines-pro-type-const-cast)
    packing& by = *b.encoding->packed;
    const plain_block* made = by.expand(p);
    if (made == nullptr) return nullptr;
    object evicted;
    {
        std::lock_guard lock(by.mutex());
        known = p.expanded.load(std::memory_order_acquire);
        if (known == nullptr) {
            p.expanded.store(made, std::memory_order_release);
            p.counts.fetch_or(expanded_bit, std::memory_order_acq_rel);
            add_reader(p);
            evicted = by.remember(object_builder::adopt(&p));
        }
    }
    if (known == nullptr) return made;
    free_plain(made);
    return known;
}

void attach_expansion(packed_block& b, const plain_block* whole) noexcept
{
    b.expanded.store(whole, std::memory_order_relaxed);
    b.counts.fetch_or(expanded_bit, std::memory_order_relaxed);
}

std::size_t resting_bytes(const object::block& b) noexcept
{
    return b.packed ? sizeof(packed_block) + b.front_size + b.size : b.as_plain().allocated();
}

std::size_t expansion_bytes(const object::block& b) noexcept
{
    if (!b.packed || (b.counts.load(std::memory_order_relaxed) & expanded_bit) == 0) return 0;
    const plain_block* e = b.as_packed().expanded.load(std::memory_order_acquire);
    return e == nullptr ? 0 : resting_bytes(*e);
}

void free_plain(const plain_block* b) noexcept
{
    if (b == nullptr) return;
    b->~plain_block();
    ::operator delete(const_cast<plain_block*>(b)); // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

} // namespace kubecoro::detail
