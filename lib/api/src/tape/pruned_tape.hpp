#pragma once

#include "tape/field_filter.hpp"
#include "tape/tape_writer.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/** A tape without the fields that a filter prunes: takes the same events as tape_writer.

    Pruned fields leave no trace, and their text need not be assembled: see ignores_value() and
    leaves_out_container(). Without a filter, and inside values kept as a whole, the cost is one comparison per
    event. A container that repeats is pruned once: its tape is recorded with what the filter prunes there. */
class pruned_tape
{
public:
    /// @param filter  Outlives the tape.
    /// @param words   Vocabulary of the tape; null = a self-contained tape.
    pruned_tape(const decode_limits& limits, const field_filter& filter, vocabulary* words);

    /// Prepares for the next object. @param prune  false: keep this one complete.
    void clear(bool prune);

    /// True if the next value is left out unless it is a container.
    [[nodiscard]] bool ignores_value() const noexcept { return mute_; }

    [[nodiscard]] bool begin(bool is_object)
    {
        if (pruning_) return pruned_begin(is_object);
        return is_object ? tape_.begin_object() : tape_.begin_array();
    }
    [[nodiscard]] bool end() { return pruning_ ? pruned_end() : tape_.end(); }
    [[nodiscard]] bool key(std::string_view text) { return following_ ? followed_key(text) : tape_.key(text); }
    [[nodiscard]] std::size_t predicted_key(std::string_view text) const noexcept
    {
        return following_ ? 0 : tape_.predicted_key(text);
    }
    [[nodiscard]] bool put_predicted_key() { return tape_.put_predicted_key(); }
    [[nodiscard]] bool field(std::uint16_t id, std::string_view text)
    {
        return following_ ? followed_key(text) : tape_.field(id, text);
    }
    [[nodiscard]] bool repeat_string(std::string_view text) { return mute_ || tape_.repeat_string(text); }
    [[nodiscard]] bool string(std::string_view text) { return mute_ || tape_.string(text); }
    [[nodiscard]] bool integer(std::int64_t value) { return mute_ || tape_.integer(value); }
    [[nodiscard]] bool number(std::string_view text) { return mute_ || tape_.number(text); }
    [[nodiscard]] bool boolean(bool value) { return mute_ || tape_.boolean(value); }
    [[nodiscard]] bool null() { return mute_ || tape_.null(); }

    /// After key(), like those of tape_writer.
    [[nodiscard]] bool may_repeat() { return (!following_ || followed_may_repeat()) && tape_.may_repeat(); }
    [[nodiscard]] bool may_repeat_whole() { return (!following_ || followed_may_repeat()) && tape_.may_repeat_whole(); }
    [[nodiscard]] std::size_t repeat(std::string_view text) { return tape_.repeat(text, next_pruning()); }
    [[nodiscard]] bool repeat_whole(std::string_view text, const void* form)
    {
        return tape_.repeat_whole(text, {form, next_pruning()});
    }
    /// After key(): true if the value is kept with all its content.
    [[nodiscard]] bool keeps_whole() const noexcept
    {
        return !following_ || (tape_.depth() != 0 && walk_.next() == filter_walk::verdict::whole);
    }
    /// After key(): true if copy() may write the value.
    [[nodiscard]] bool may_copy() const noexcept { return keeps_whole() && tape_.may_copy(); }
    [[nodiscard]] bool copy(std::span<const unsigned char> value) { return tape_.copy(value); }
    void forget_recordings() noexcept { tape_.forget_recordings(); }

    /// True if a container that begins here is left out: its events must not be passed to this object.
    [[nodiscard]] bool leaves_out_container() const noexcept
    {
        return following_ && tape_.depth() != 0 && walk_.next() == filter_walk::verdict::skip;
    }
    /// Number of open containers.
    [[nodiscard]] std::size_t depth() const noexcept { return tape_.depth(); }
    [[nodiscard]] bool too_deep() const noexcept { return tape_.problem() == tape_writer::trouble::too_deep; }
    /// Complete when depth() is 0.
    [[nodiscard]] const tape_writer& tape() const noexcept { return tape_; }

private:
    [[nodiscard]] bool pruned_begin(bool is_object);
    [[nodiscard]] bool pruned_end();
    [[nodiscard]] bool followed_key(std::string_view text);
    /// Begins a container inside one that is followed.
    [[nodiscard]] bool followed_begin(bool is_object);
    /// Before a container inside one that is followed: writes its key, if that waits for it. False: it cannot repeat.
    [[nodiscard]] bool followed_may_repeat();
    /// The part of the filter that prunes the next container: see repeats::reading.
    [[nodiscard]] std::uint64_t next_pruning() const noexcept { return following_ ? followed_pruning_ : 0; }
    /// Sets mute_ from the walk's verdict on the next value.
    void listen() noexcept;

    tape_writer tape_;
    const field_filter& filter_;
    filter_walk walk_;
    vocabulary* words_;
    /// The vocabulary's number of the filter; 0 = none.
    std::uint64_t filter_number_ = 0;
    /// Set by followed_may_repeat().
    std::uint64_t followed_pruning_ = 0;
    /// Parts of this object may be left out.
    bool pruning_ = false;
    /// The innermost container is neither kept nor left out as a whole.
    bool following_ = false;
    /// The depth at which following resumes.
    std::size_t followed_depth_ = 0;
    bool mute_ = false;
    /// The last key, if keeping it depends on the value.
    std::string way_key_;
    bool has_way_key_ = false;
};

} // namespace kubecoro::detail
