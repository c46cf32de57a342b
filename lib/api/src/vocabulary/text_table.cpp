#include "vocabulary/text_table.hpp"

#include <algorithm>
#include <cstring>

namespace kubecoro::detail {
namespace {

constexpr std::size_t text_block = 4096;
constexpr std::size_t first_index = 256;
constexpr std::size_t first_candidates = 1024;
// Bounds the probe length, so that no choice of texts makes a lookup long.
constexpr std::size_t longest_probe = 16;

// A candidate slot: hash bits that distinguish texts of one slot, the last document, the count.
constexpr std::uint32_t most_counted = 0xf;
std::uint32_t print_of(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash >> 44); }

constexpr std::uint32_t number_bits = 17;
constexpr std::uint32_t number_mask = (1u << number_bits) - 1;

/// An index slot: above the number, the hash bits that distinguish texts of one slot.
std::uint32_t slot_of(text_table::number n, std::uint32_t hash) noexcept { return (hash & ~number_mask) | (n + 1); }

} // namespace

std::optional<text_table::number> text_table::find(std::string_view text, std::uint64_t hash) const noexcept
{
    if (index_.empty()) return std::nullopt;
    const std::size_t mask = index_.size() - 1;
    for (std::size_t i = 0; i < longest_probe; ++i) {
        const std::uint32_t slot = index_[(hash + i) & mask];
        if (slot == 0) break;
        if ((slot ^ static_cast<std::uint32_t>(hash)) >> number_bits != 0) continue;
        const number n = (slot & number_mask) - 1;
        if (same_text(at(n), text)) return n;
    }
    return std::nullopt;
}

text_table::sighting text_table::see(std::string_view text, std::uint64_t hash, unsigned document)
{
    if (const auto known = find(text, hash)) return {known};
    if (!has_room(text)) return {};
    const count c = count_sighting(hash, document);
    if (c != count::enough) return {std::nullopt, c == count::again};
    candidate(hash) = 0;
    return {append(text, hash), true};
}

text_table::sighting text_table::recall(std::string_view text, std::uint64_t hash)
{
    if (const auto known = find(text, hash)) return {known};
    if (!has_room(text)) return {};
    std::uint32_t& slot = candidate(hash);
    const std::uint32_t times = slot & most_counted;
    if (times == 0 || slot >> 12 != print_of(hash)) return {};
    if (times < enough()) return {std::nullopt, true};
    slot = 0;
    return {append(text, hash), true};
}

void text_table::count_later(std::uint64_t hash, unsigned document) { (void)count_sighting(hash, document); }

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

text_table::count text_table::count_sighting(std::uint64_t hash, unsigned document)
{
    std::uint32_t& slot = candidate(hash);
    const std::uint32_t print = print_of(hash);
    const std::uint32_t last = document & 0xff;
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
    slot = (print << 12) | (last << 4) | times;
    if (times < enough()) return times == 1 ? count::first : count::again;
    return count::enough;
}

std::optional<text_table::number> text_table::append(std::string_view text, std::uint64_t hash)
{
    const std::uint32_t n = size_.load(std::memory_order_relaxed);
    if (2 * (n + 1) > index_.size()) grow_index();
    const auto low = static_cast<std::uint32_t>(hash);
    if (!place(n, low)) return std::nullopt;
    auto& chunk = chunks_[n / chunk_entries];
    if (!chunk) {
        chunk = std::make_unique<entry[]>(chunk_entries);
        count_bytes(chunk_entries * sizeof(entry));
    }
    const std::uint16_t remark = limits_.remark == nullptr ? std::uint16_t{0} : limits_.remark(text);
    chunk[n % chunk_entries] = {keep(text), low, static_cast<std::uint16_t>(text.size()), remark};
    size_.store(n + 1, std::memory_order_release);
    return n;
}

const char* text_table::keep(std::string_view text)
{
    if (texts_.empty() || text.size() > text_room_) {
        texts_.push_back(std::make_unique<char[]>(text_block));
        text_room_ = text_block;
        count_bytes(text_block);
    }
    char* at = texts_.back().get() + (text_block - text_room_);
    text_room_ -= text.size();
    text_bytes_ += text.size();
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    return at;
}

bool text_table::place(number n, std::uint32_t hash) noexcept
{
    const std::size_t mask = index_.size() - 1;
    for (std::size_t i = 0; i < longest_probe; ++i) {
        std::uint32_t& slot = index_[(hash + i) & mask];
        if (slot != 0) continue;
        slot = slot_of(n, hash);
        return true;
    }
    return false;
}

void text_table::grow_index()
{
    const std::size_t wanted = std::max(first_index, index_.size() * 2);
    count_bytes((wanted - index_.size()) * sizeof(std::uint32_t));
    index_.assign(wanted, 0);
    // A text without a place stays readable; find() no longer returns its number.
    for (number n = 0; n < size(); ++n) (void)place(n, entry_of(n).hash);
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
