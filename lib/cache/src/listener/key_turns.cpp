#include "listener/key_turns.hpp"

#include <utility>

namespace kubecoro::detail {

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
    l.waiting.push_back(std::move(t));
    if (initial) ++initial_;
    ++waiting_;
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
        turn t = std::move(at->second.waiting.front());
        at->second.waiting.erase(at->second.waiting.begin());
        --waiting_;
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

notification<object>* key_turns::last(object_key_view key)
{
    const auto at = lines_.find(key);
    return at == lines_.end() || at->second.waiting.empty() ? nullptr : &at->second.waiting.back().event;
}

void key_turns::drop_last(object_key_view key)
{
    const auto at = lines_.find(key);
    if (at == lines_.end() || at->second.waiting.empty()) return;
    if (at->second.waiting.back().initial) --initial_;
    at->second.waiting.pop_back();
    --waiting_;
    if (at->second.waiting.empty() && !at->second.busy) lines_.erase(at);
}

void key_turns::clear()
{
    for (auto& [key, l] : lines_) {
        for (const auto& t : l.waiting)
            if (t.initial) --initial_;
        l.waiting.clear();
    }
    erase_if(lines_, [](const auto& each) { return !each.second.busy; });
    ready_.clear();
    waiting_ = 0;
}

} // namespace kubecoro::detail
