#include "listener/key_turns.hpp"

#include <kubecoro/base/detail/expect.hpp>

#include <utility>

namespace kubecoro::detail {

key_turns::turn key_turns::line::take_first()
{
    KUBECORO_EXPECT(taken < waiting.size());
    turn first = std::move(waiting[taken++]);
    // An erasure moves no more events than it removes: thousands may wait behind one key.
    if (2 * taken < waiting.size()) return first;
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(taken));
    taken = 0;
    return first;
}

notification<object> key_turns::take(line& l, turn t)
{
    l.busy = true;
    l.initial = t.initial;
    ++in_work_;
    return std::move(t.event);
}

std::optional<notification<object>> key_turns::begin(turn t)
{
    line& l = lines_[object_of(t.event)];
    const bool initial = t.initial;
    if (!l.busy && l.waiting.empty()) {
        if (initial) ++initial_;
        return take(l, std::move(t));
    }
    const auto bytes = t.bytes;
    l.waiting.push_back(std::move(t));
    if (initial) ++initial_;
    ++waiting_;
    bytes_ += bytes;
    return std::nullopt;
}

std::optional<notification<object>> key_turns::next()
{
    while (!ready_.empty()) {
        const object key = std::move(ready_.front());
        ready_.pop_front();
        const auto at = lines_.find(key.key());
        // The waiting events may have been dropped since, and the key may be in progress again.
        if (at == lines_.end() || at->second.busy || at->second.waiting.empty()) continue;
        turn t = at->second.take_first();
        --waiting_;
        bytes_ -= t.bytes;
        return take(at->second, std::move(t));
    }
    return std::nullopt;
}

void key_turns::done(object_key_view key)
{
    const auto at = lines_.find(key);
    if (at == lines_.end() || !at->second.busy) return;
    line& l = at->second;
    if (!l.waiting.empty()) ready_.push_back(at->first); // first: it may throw
    l.busy = false;
    --in_work_;
    if (std::exchange(l.initial, false)) --initial_;
    if (l.waiting.empty()) lines_.erase(at);
}

key_turns::turn* key_turns::last(object_key_view key)
{
    const auto at = lines_.find(key);
    return at == lines_.end() || at->second.waiting.empty() ? nullptr : &at->second.waiting.back();
}

void key_turns::drop_last(object_key_view key)
{
    const auto at = lines_.find(key);
    if (at == lines_.end() || at->second.waiting.empty()) return;
    auto& l = at->second;
    if (l.waiting.back().initial) --initial_;
    bytes_ -= l.waiting.back().bytes;
    l.waiting.pop_back();
    --waiting_;
    if (l.waiting.size() == l.taken) {
        l.waiting.clear();
        l.taken = 0;
    }
    if (l.waiting.empty() && !l.busy) lines_.erase(at);
}

void key_turns::clear()
{
    for (auto& [key, l] : lines_) {
        for (std::size_t i = l.taken; i != l.waiting.size(); ++i)
            if (l.waiting[i].initial) --initial_;
        l.waiting.clear();
        l.taken = 0;
    }
    erase_if(lines_, [](const auto& each) { return !each.second.busy; });
    ready_.clear();
    waiting_ = 0;
    bytes_ = 0;
}

} // namespace kubecoro::detail
