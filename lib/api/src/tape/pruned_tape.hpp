#pragma once

#include "decode/field_filter.hpp"
#include "tape/tape_writer.hpp"

#include <string>
#include <string_view>

namespace kubecoro::detail {

/** A tape that leaves out what a filter prunes: takes the same events as tape_writer.

    What is left out leaves nothing behind, and its text need not even be put together: see ignores_value()
    and leaves_out_container(). Without a filter, and inside of what is kept as a whole, it costs one comparison an event. */
class pruned_tape
{
public:
    /// @param filter  Outlives the tape.
    /// @param words   For the tape; null = it stands alone.
    pruned_tape(const decode_limits& limits, const field_filter& filter, vocabulary* words);

    /// Ready for the next object. @param prune  false: this one is kept as it is.
    void clear(bool prune);

    /// The next value makes no difference unless it is a container.
    [[nodiscard]] bool ignores_value() const noexcept { return mute_; }
    /// The same of a value that has come and is no container.
    [[nodiscard]] bool passes_by() noexcept { return passed_ = mute_; }
    /// What came last was a key, or the innermost container is an array. Looks at all of an object.
    [[nodiscard]] bool awaits_value() const noexcept { return (mute_ && !passed_) || tape_.awaits_value(); }

    [[nodiscard]] bool begin(bool is_object)
    {
        if (pruning_) return pruned_begin(is_object);
        return is_object ? tape_.begin_object() : tape_.begin_array();
    }
    [[nodiscard]] bool end() { return pruning_ ? pruned_end() : tape_.end(); }
    [[nodiscard]] bool key(std::string_view text) { return following_ ? followed_key(text) : tape_.key(text); }
    [[nodiscard]] bool string(std::string_view text) { return mute_ || tape_.string(text); }
    [[nodiscard]] bool integer(std::int64_t value) { return mute_ || tape_.integer(value); }
    [[nodiscard]] bool number(std::string_view text) { return mute_ || tape_.number(text); }
    [[nodiscard]] bool boolean(bool value) { return mute_ || tape_.boolean(value); }
    [[nodiscard]] bool null() { return mute_ || tape_.null(); }

    /// The innermost container is kept as a whole: until as many containers are open as whole_until() says, the writer
    /// may be told itself.
    [[nodiscard]] bool is_whole() const noexcept { return !following_; }
    [[nodiscard]] std::size_t whole_until() const noexcept { return followed_depth_; }
    [[nodiscard]] tape_writer& writer() noexcept { return tape_; }

    /// A container that begins here is left out: not to be shown to this object.
    [[nodiscard]] bool leaves_out_container() const noexcept
    {
        return following_ && tape_.depth() != 0 && walk_.next() == filter_walk::verdict::skip;
    }
    /// Containers that are open.
    [[nodiscard]] std::size_t depth() const noexcept { return tape_.depth(); }
    [[nodiscard]] bool too_deep() const noexcept { return tape_.problem() == tape_writer::trouble::too_deep; }
    /// Complete when depth() is 0.
    [[nodiscard]] const tape_writer& tape() const noexcept { return tape_; }

private:
    [[nodiscard]] bool pruned_begin(bool is_object);
    [[nodiscard]] bool pruned_end();
    [[nodiscard]] bool followed_key(std::string_view text);
    /// A container inside of one that is followed.
    [[nodiscard]] bool followed_begin(bool is_object);
    /// Sets mute_ by what the walk says about the next value.
    void listen() noexcept;

    tape_writer tape_;
    const field_filter& filter_;
    filter_walk walk_;
    /// Something may be left out of this object.
    bool pruning_ = false;
    /// The innermost container is neither kept nor left out as a whole.
    bool following_ = false;
    /// The level at which following goes on.
    std::size_t followed_depth_ = 0;
    bool mute_ = false;
    /// No key came since the last value.
    bool passed_ = false;
    /// The last key when it depends on the value whether it is kept.
    std::string way_key_;
    bool has_way_key_ = false;
};

} // namespace kubecoro::detail
