#include "tape/pruned_tape.hpp"

#include <utility>

namespace kubecoro::detail {

using verdict = filter_walk::verdict;

pruned_tape::pruned_tape(const decode_limits& limits, const field_filter& filter, vocabulary* words)
    : tape_(limits.max_object_bytes, limits.max_depth, words), filter_(filter), walk_(filter), words_(words)
{
}

void pruned_tape::clear(bool prune)
{
    tape_.clear();
    pruning_ = following_ = prune && !filter_.empty();
    followed_depth_ = 0;
    mute_ = false;
    has_way_key_ = false;
    if (!following_) return;
    walk_.begin();
    if (words_ != nullptr && filter_number_ == 0) filter_number_ = words_->filter_number(filter_.text());
}

void pruned_tape::listen() noexcept
{
    mute_ = following_ && walk_.next() != verdict::whole && walk_.next() != verdict::part;
}

bool pruned_tape::followed_key(std::string_view text)
{
    const verdict v = walk_.key(text);
    listen();
    has_way_key_ = v == verdict::way;
    if (has_way_key_) way_key_ = text;
    return mute_ || tape_.key(text);
}

bool pruned_tape::followed_may_repeat()
{
    const auto pruning = walk_.pruning();
    if (!pruning || (*pruning != 0 && filter_number_ == 0)) return false;
    followed_pruning_ = *pruning == 0 ? 0 : filter_number_ << 48 | *pruning;
    // If a limit is exceeded here, the container's beginning fails too.
    return !std::exchange(has_way_key_, false) || tape_.key(way_key_);
}

bool pruned_tape::pruned_begin(bool is_object)
{
    if (tape_.depth() != 0 && following_ && !followed_begin(is_object)) return false;
    return is_object ? tape_.begin_object() : tape_.begin_array();
}

bool pruned_tape::followed_begin(bool is_object)
{
    if (has_way_key_ && !tape_.key(way_key_)) return false;
    has_way_key_ = false;
    if (walk_.next() == verdict::whole) {
        following_ = false;
        followed_depth_ = tape_.depth();
    } else {
        walk_.enter(is_object);
    }
    listen();
    return true;
}

bool pruned_tape::pruned_end()
{
    if (!tape_.end()) return false;
    if (following_)
        walk_.leave();
    else
        following_ = followed_depth_ != 0 && tape_.depth() == followed_depth_;
    if (following_) followed_depth_ = 0;
    has_way_key_ = false;
    listen();
    return true;
}

} // namespace kubecoro::detail
