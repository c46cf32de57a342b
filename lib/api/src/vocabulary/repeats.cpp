#include "vocabulary/repeats.hpp"

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
    if (is_new) entries_.emplace_back();
    const auto n = is_new ? static_cast<number>(entries_.size() - 1) : old;
    entry& e = entries_[n];
    content_ -= bytes_of(e);
    e.text = text;
    e.tape.assign(tape.begin(), tape.end());
    e.when = when;
    e.copied = false;
    content_ += bytes_of(e);
    return n;
}

void repeats::clear() noexcept
{
    entries_.resize(1);
    content_ = 0;
}

} // namespace kubecoro::detail
