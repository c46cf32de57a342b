// Escapes that name half of a surrogate pair alone. No character has such a name: Go reads U+FFFD for it, the parser that
// we use refuses the text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

struct surrogate_repair
{
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    /// Where the first of them was.
    std::size_t first = none;
    /// Where an escape begins, or a pair of them, that goes on behind the text.
    std::size_t open = none;
};

/// Writes \ufffd in the place of all of them, which is as long. The text is JSON or part of it, and begins outside of an
/// escape.
surrogate_repair repair_surrogates(std::string& text) noexcept;

/** Gives a parser that stopped at such an escape what it can go on with, whatever chunks the text comes in.

    Costs nothing before that but a copy of the last bytes of each chunk, and one copy of a chunk with such escapes. */
class string_repair
{
public:
    struct state
    {
        /// The text from there on: it begins inside of a string and outside of an escape.
        std::string text;
        /// Where it begins in the chunk: modulo 2^64, because an escape may have begun before it.
        std::size_t begin = 0;
        /// The string begins there too, and not in an earlier chunk.
        bool whole_string = false;
    };

    /// The parser was given this chunk and has taken it.
    void passed(std::string_view chunk);
    /// The next chunk does not follow what was passed.
    void forget() noexcept
    {
        last_.clear();
        begins_escaped_ = false;
    }
    /// @param at  Where in the chunk the parser stopped. @return nothing when it was for another reason. Otherwise what is
    ///            passed next is the state's text: all before it is forgotten.
    [[nodiscard]] std::optional<state> repair(std::string_view chunk, std::size_t at);

private:
    [[nodiscard]] bool ends_escaping() const noexcept;

    /// The end of what was passed.
    std::string last_;
    /// A backslash before that escapes its first byte.
    bool begins_escaped_ = false;
};

} // namespace kubecoro::detail
