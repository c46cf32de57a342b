// A text with places for values, cut once and filled many times.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::bench {

/** Written as JSON in which `@{name}` stands for a text and a whole string "@{#name}" for a number or other bare word.

    Immutable once made; reads from several threads are fine. */
class text_template
{
public:
    /// @param names  The places' names; a value's index is its name's. An unknown name in `text` is an internal error.
    text_template(std::string_view text, std::span<const std::string_view> names);

    /// Appends the text. Values are put in as they are: they need no escaping in JSON.
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
