#pragma once
// Passes the events of a json_scanner to a tape, and scans single values.

#include "tape/field_filter.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace kubecoro::detail {

/** Passes the events of a json_scanner to a tape.

    Stops the scanner after the beginning of a container that the tape leaves out, so that it is skipped, and when the
    tape exceeds a limit. */
class tape_sink
{
public:
    /// @param max_text  Longer texts exceed the tape's limit.
    tape_sink(pruned_tape& tape, std::size_t max_text) noexcept : tape_(tape), max_text_(max_text) {}

    [[nodiscard]] bool begin(bool is_object)
    {
        left_out_ = tape_.leaves_out_container();
        return !left_out_ && tape_.begin(is_object);
    }
    [[nodiscard]] bool end() { return tape_.end(); }
    [[nodiscard]] bool key(std::string_view text) { return tape_.key(text); }
    [[nodiscard]] std::size_t predicted_key(std::string_view text) const noexcept { return tape_.predicted_key(text); }
    [[nodiscard]] bool put_predicted_key(std::string_view) { return tape_.put_predicted_key(); }
    [[nodiscard]] bool string(std::string_view text) { return tape_.string(text); }
    [[nodiscard]] bool integer(std::int64_t value) { return tape_.integer(value); }
    [[nodiscard]] bool number(std::string_view text) { return tape_.number(text); }
    [[nodiscard]] bool boolean(bool value) { return tape_.boolean(value); }
    [[nodiscard]] bool null() { return tape_.null(); }

    [[nodiscard]] bool may_repeat() const noexcept { return tape_.may_repeat(); }
    [[nodiscard]] std::size_t repeat(std::string_view text) { return tape_.repeat(text); }
    [[nodiscard]] std::size_t room(bool is_key) const noexcept
    {
        return !is_key && tape_.ignores_value() ? 0 : max_text_;
    }
    [[nodiscard]] bool overflows(bool is_key) const noexcept { return !is_key && tape_.ignores_value(); }

    /// True once after the beginning of a container that is to be skipped.
    [[nodiscard]] bool take_left_out() noexcept { return std::exchange(left_out_, false); }

private:
    pruned_tape& tape_;
    std::size_t max_text_;
    bool left_out_ = false;
};

/// The end of scan_value().
enum class scanned
{
    complete,
    /// The text is not one JSON value. A part of it may be on the tape.
    malformed,
    /// The tape exceeds a limit; it says which.
    too_large
};

/** Appends one JSON value, given as a whole, to a tape where a value may be: as its root, after a key, or as an item.

    @param behind_key  The last event was a key: a container that was here before is copied. */
[[nodiscard]] scanned scan_value(std::string_view json, pruned_tape& out, bool behind_key = false);

} // namespace kubecoro::detail
