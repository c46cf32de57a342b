#include "tape/repeats.hpp"

#include <utility>

namespace kubecoro::detail {
namespace {

std::size_t bytes_of(const repeats::entry& e) noexcept { return e.text.capacity() + e.tape.capacity(); }

} // namespace

repeats::entry repeats::take(number n) noexcept
{
    entry taken = std::exchange(entries_[n], entry{});
    content_ += bytes_of(entries_[n]);
    content_ -= bytes_of(taken);
    return taken;
}

repeats::number repeats::put(number old, std::string_view text, std::span<const unsigned char> tape, const terms& when)
{
    const bool is_new = old == none;
    if ((is_new && entries_.size() == most) || content_ + text.size() + tape.size() > most_bytes) return old;
    // Stored when it is complete: if an allocation fails, no entry has one container's text and another one's tape.
    entry made = is_new ? entry{} : take(old);
    made.text = text;
    made.tape.assign(tape.begin(), tape.end());
    made.when = when;
    made.copied = false;
    if (is_new) entries_.emplace_back();
    const auto n = is_new ? static_cast<number>(entries_.size() - 1) : old;
    content_ += bytes_of(made);
    content_ -= bytes_of(entries_[n]);
    entries_[n] = std::move(made);
    return n;
}

void repeats::clear() noexcept
{
    entries_.resize(1);
    content_ = 0;
}

} // namespace kubecoro::detail
