#include "tape/repeats.hpp"

#include <kubecoro/base/hash.hpp>

#include <algorithm>
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

namespace {

std::size_t bytes_with_entry(const repeats::entry& e) noexcept
{
    return sizeof(e) + e.text.capacity() + e.tape.capacity();
}

bool is_equal(const repeats::entry& e, std::string_view text, const repeats::reading& how, std::size_t depth) noexcept
{
    return e.when.how == how && e.when.depth == depth && e.text == text;
}

} // namespace

const repeats::entry* former_repeats::find(std::string_view text, const repeats::reading& how,
                                           std::size_t depth) const noexcept
{
    if (sets_.empty()) return nullptr;
    const std::uint64_t hash = hash_text(text);
    for (const slot& s : set_of(hash))
        if (s.held && s.hash == hash && is_equal(*s.held, text, how, depth)) return s.held.get();
    return nullptr;
}

former_repeats::slot* former_repeats::slot_for(std::uint64_t hash, const repeats::entry& e) noexcept
{
    set& all = sets_[hash & (sets_.size() - 1)];
    slot* free = nullptr;
    for (slot& s : all) {
        if (!s.held) free = &s;
        if (s.held && s.hash == hash && is_equal(*s.held, e.text, e.when.how, e.when.depth)) return &s;
    }
    return free;
}

void former_repeats::keep(repeats::entry e)
{
    e.text.shrink_to_fit();
    e.tape.shrink_to_fit();
    const std::size_t size = bytes_with_entry(e);
    const std::uint64_t hash = hash_text(e.text);
    if (sets_.empty()) sets_.resize(first_sets);
    slot* to = slot_for(hash, e);
    while (to == nullptr && sets_.size() < most_sets) {
        grow();
        to = slot_for(hash, e);
    }
    auto held = std::make_unique<const repeats::entry>(std::move(e));
    // Chosen by the hand, so that entries of a full set give way in turn.
    if (to == nullptr) to = &sets_[hash & (sets_.size() - 1)][hand_++ % std::tuple_size_v<set>];
    empty(*to);
    constexpr std::size_t ways = std::tuple_size_v<set>;
    for (; content_ != 0 && content_ + size > most_bytes; ++hand_)
        empty(sets_[hand_ / ways % sets_.size()][hand_ % ways]);
    *to = {hash, std::move(held)};
    content_ += size;
}

void former_repeats::grow()
{
    std::vector<set> before(sets_.size() * 2);
    before.swap(sets_);
    // The entries of a set are spread over two, and find room in them.
    for (set& old : before)
        for (slot& s : old)
            if (s.held) *slot_for(s.hash, *s.held) = std::move(s);
}

void former_repeats::empty(slot& s) noexcept
{
    if (s.held) content_ -= bytes_with_entry(*s.held);
    s.held.reset();
}

void former_repeats::clear() noexcept
{
    sets_ = std::vector<set>();
    content_ = 0;
}

} // namespace kubecoro::detail
