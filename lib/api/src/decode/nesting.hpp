#pragma once

#include "tape/tape_writer.hpp"

#include <string>
#include <string_view>

namespace kubecoro::detail {

/// JSON text that opens the current containers, so that a parser can be restarted inside them, after a value.
class nesting
{
public:
    void enter(bool is_object) { text_ += is_object ? object_begin : array_begin; }
    void leave() noexcept { text_.resize(text_.size() - (in_object() ? object_begin : array_begin).size()); }
    void enter_all_of(const tape_writer& tape) { tape.append_nesting(text_); }
    void enter_all_of(const nesting& other) { text_ += other.text_; }
    void clear() noexcept { text_.clear(); }

    [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
    /// True if the innermost container is an object.
    [[nodiscard]] bool in_object() const noexcept { return text_.ends_with(':'); }
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    /// The text followed by the opening quote of a string.
    [[nodiscard]] std::string with_string(bool is_key) const
    {
        return (is_key ? text_.substr(0, text_.size() - object_begin.size() + 1) : text_) + '"';
    }

private:
    static constexpr std::string_view object_begin = "{\"\":";
    static constexpr std::string_view array_begin = "[";

    std::string text_;
};

} // namespace kubecoro::detail
