#include "vocabulary/repeats.hpp"

namespace kubecoro::detail {

repeats::number repeats::put(number old, std::string_view text, std::span<const unsigned char> tape, const terms& when)
{
    const auto bytes_of = [](const entry& e) { return e.text.capacity() + e.tape.capacity(); };
    const bool is_new = old == none;
    if ((is_new && entries_.size() == most) || content_ + text.size() + tape.size() > most_bytes) return old;
    if (is_new) entries_.emplace_back();
    const auto n = is_new ? static_cast<number>(entries_.size() - 1) : old;
    entry& e = entries_[n];
    content_ -= bytes_of(e);
    e.text = text;
    e.tape.assign(tape.begin(), tape.end());
    e.when = when;
    content_ += bytes_of(e);
    return n;
}

void repeats::clear() noexcept
{
    entries_.resize(1);
    content_ = 0;
}

} // namespace kubecoro::detail
