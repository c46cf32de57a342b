// A text with placeholders, parsed once and filled many times.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::bench {

/** JSON in which `@{name}` represents a text and a whole string "@{#name}" a number or another bare word.

    Immutable once created; reads from several threads are fine. */
class text_template
{
public:
    /// @param names The names of the placeholders; a value has the index of its name. An unknown name in `text` is an
    /// internal error.
    text_template(std::string_view text, std::span<const std::string_view> names);

    /// Appends the text. Values are inserted unchanged: they must not need escaping in JSON.
    void render(std::string& out, std::span<const std::string> values) const;

private:
    struct piece
    {
        std::string literal;
        std::size_t value;
    };
    std::vector<piece> pieces_;
    std::string rest_;
};

} // namespace kubecoro::bench
