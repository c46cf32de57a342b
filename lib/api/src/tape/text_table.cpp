#include "tape/text_table.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace kubecoro::detail {
namespace {

constexpr std::size_t block_bytes = 4096;
constexpr std::size_t unit = sizeof(text_table::entry);
static_assert(unit == 8 && alignof(text_table::entry) <= unit);
constexpr std::size_t first_index = 256;
constexpr std::size_t first_candidates = 1024;
// Bounds the probe length, so that no choice of texts makes a lookup long.
constexpr std::size_t longest_probe = 16;

// A candidate slot: hash bits that distinguish texts of one slot, the last document, the count.
constexpr std::uint32_t most_counted = 0xf;
std::uint32_t print_of(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash >> 44); }

// Enough for 16 MiB: with the largest limits, blocks that are half empty take 10.
constexpr std::uint32_t position_bits = 21;
constexpr std::uint32_t position_mask = (1u << position_bits) - 1;

/// The hash bits that distinguish texts of one slot, above the position.
std::uint32_t distinction(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash) & ~position_mask; }

/// A text and its head are in one block.
text_table::limits sound(text_table::limits l) noexcept
{
    l.longest = std::min(l.longest, block_bytes - unit);
    return l;
}

} // namespace

text_table::text_table(limits l) noexcept : limits_(sound(l)) {}

const text_table::entry* text_table::find(std::string_view text, std::uint64_t hash) const noexcept
{
    if (index_.empty()) return nullptr;
    const std::size_t mask = index_.size() - 1;
    for (std::size_t i = 0; i < longest_probe; ++i) {
        const std::uint32_t slot = index_[(hash + i) & mask];
        if (slot == 0) break;
        if ((slot & ~position_mask) != distinction(hash)) continue;
        const entry& e = entry_at((slot & position_mask) - 1);
        if (same_text(e.view(), text)) return &e;
    }
    return nullptr;
}

text_table::sighting text_table::see(std::string_view text, std::uint64_t hash, origin from)
{
    if (const entry* const known = find(text, hash)) return {known};
    if (!has_room(text)) return {};
    const count c = count_sighting(hash, text.size(), from);
    if (c != count::enough) return {nullptr, c == count::again};
    candidate(hash) = 0;
    return {append(text, hash), true};
}

text_table::sighting text_table::recall(std::string_view text, std::uint64_t hash)
{
    if (const entry* const known = find(text, hash)) return {known};
    if (!has_room(text)) return {};
    std::uint32_t& slot = candidate(hash);
    const std::uint32_t times = slot & most_counted;
    if (times == 0 || slot >> 12 != print_of(hash)) return {};
    if (times < enough()) return {nullptr, true};
    slot = 0;
    return {append(text, hash), true};
}

void text_table::count_later(std::uint64_t hash, std::size_t size, origin from)
{
    (void)count_sighting(hash, size, from);
}

void text_table::admit(std::string_view text)
{
    const std::uint64_t hash = hash_text(text);
    if (has_room(text) && !find(text, hash)) (void)append(text, hash);
}

std::uint32_t& text_table::candidate(std::uint64_t hash)
{
    if (candidates_.empty() || (counted_ > 4 * candidates_.size() && candidates_.size() < limits_.candidates))
        grow_candidates();
    return candidates_[hash & (candidates_.size() - 1)];
}

unsigned text_table::enough() const noexcept
{
    // Unused numbers are worthless, so few sightings are required while many numbers are free.
    return size() < limits_.most / 2 ? limits_.sightings : 2 * limits_.sightings;
}

bool text_table::take_room(std::size_t size, origin from) noexcept
{
    // A text takes bytes and a number: whichever is the larger part of the table.
    const std::size_t each = std::max<std::size_t>(limits_.most_bytes / limits_.most, 1);
    const std::size_t amount = std::max(size, each);
    const std::size_t free =
        std::min(limits_.most_bytes - text_bytes_, each * (limits_.most - std::min(limits_.most, this->size())));
    if (!shares_.may_take(from.owner, amount, free)) return false;
    if (from.users) {
        if (!has_room_for_users() || !users_shares_.may_take(from.owner, 1, limits_.users - users_)) return false;
        users_shares_.take(from.owner, 1);
        ++users_;
    }
    shares_.take(from.owner, amount);
    return true;
}

text_table::count text_table::count_sighting(std::uint64_t hash, std::size_t size, origin from)
{
    std::uint32_t& slot = candidate(hash);
    const std::uint32_t print = print_of(hash);
    const std::uint32_t last = from.document & 0xff;
    std::uint32_t times = slot & most_counted;
    const bool in_this_document = times != 0 && ((slot >> 4) & 0xff) == last;
    if (times != 0 && slot >> 12 == print) {
        if (in_this_document) return count::first;
        times = std::min(times + 1, most_counted);
    } else {
        ++counted_;
        // A text never replaces another one of the same document: two texts that occur in every object would otherwise
        // evict each other forever. In other documents, the text that holds the slot loses one sighting, and with its
        // last one the slot.
        if (in_this_document) return count::first;
        if (times > 1) {
            --slot;
            return count::first;
        }
        times = 1;
    }
    // Once: a text that has been seen often enough, but not admitted yet, has its room already.
    if (times == enough() && !take_room(size, from)) return count::first;
    slot = (print << 12) | (last << 4) | times;
    if (times < enough()) return times == 1 ? count::first : count::again;
    return count::enough;
}

const text_table::entry* text_table::append(std::string_view text, std::uint64_t hash)
{
    const std::uint32_t n = size_.load(std::memory_order_relaxed);
    if (2 * (n + 1) > index_.size()) grow_index();
    const position p = next_position(text.size());
    if (p >= position_mask) return nullptr;
    make_chunk(n);
    const std::uint16_t remark = limits_.remark == nullptr ? std::uint16_t{0} : limits_.remark(text);
    // From here on nothing throws: find() must not meet a place without its text.
    if (!place(p, hash)) return nullptr;
    store(p, {n, static_cast<std::uint16_t>(text.size()), remark}, text);
    size_.store(n + 1, std::memory_order_release);
    return &entry_at(p);
}

char* text_table::address_of(position p) const noexcept
{
    const std::size_t at = std::size_t{p} * unit;
    return blocks_[at / block_bytes].get() + at % block_bytes;
}

const text_table::entry& text_table::entry_at(position p) const noexcept
{
    return *std::launder(reinterpret_cast<const entry*>(address_of(p)));
}

text_table::position text_table::next_position(std::size_t size)
{
    if (blocks_.empty() || sizeof(entry) + size > block_room_) {
        blocks_.push_back(std::make_unique_for_overwrite<char[]>(block_bytes));
        block_room_ = block_bytes;
        count_bytes(block_bytes);
    }
    return static_cast<position>((blocks_.size() * block_bytes - block_room_) / unit);
}

void text_table::make_chunk(number n)
{
    auto& chunk = chunks_[n / chunk_entries];
    if (chunk) return;
    chunk = std::make_unique<const entry*[]>(chunk_entries);
    count_bytes(chunk_entries * sizeof(const entry*));
}

void text_table::store(position p, const entry& head, std::string_view text) noexcept
{
    char* const at = address_of(p);
    chunks_[head.n / chunk_entries][head.n % chunk_entries] = new (at) entry(head);
    if (!text.empty()) std::memcpy(at + sizeof(entry), text.data(), text.size());
    if (head.n < marks_.size()) marks_[head.n] = mark_of(text);
    block_room_ -= (sizeof(entry) + text.size() + unit - 1) / unit * unit;
    text_bytes_ += text.size();
}

bool text_table::place(position p, std::uint64_t hash) noexcept
{
    const std::size_t mask = index_.size() - 1;
    for (std::size_t i = 0; i < longest_probe; ++i) {
        std::uint32_t& slot = index_[(hash + i) & mask];
        if (slot != 0) continue;
        slot = distinction(hash) | (p + 1);
        return true;
    }
    return false;
}

void text_table::grow_index()
{
    const std::size_t wanted = std::max(first_index, index_.size() * 2);
    const std::vector<std::uint32_t> before = std::exchange(index_, std::vector<std::uint32_t>(wanted));
    count_bytes((wanted - before.size()) * sizeof(std::uint32_t));
    // A text without a place stays readable; find() no longer returns its number, and it may get a second one.
    for (const std::uint32_t slot : before) {
        if (slot == 0) continue;
        const position p = (slot & position_mask) - 1;
        (void)place(p, hash_text(entry_at(p).view()));
    }
}

void text_table::grow_candidates()
{
    const std::size_t wanted = std::min(std::max(first_candidates, candidates_.size() * 4), limits_.candidates);
    count_bytes((wanted - candidates_.size()) * sizeof(std::uint32_t));
    // The counts so far are lost, which costs a few sightings.
    candidates_.assign(wanted, 0);
    counted_ = 0;
}

} // namespace kubecoro::detail
