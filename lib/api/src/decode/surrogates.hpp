// Repairs escapes of lone surrogates, which denote no character: Go reads them as U+FFFD, our JSON parser rejects the
// text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

struct surrogate_repair
{
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    /// Position of the first one.
    std::size_t first = none;
    /// Start of an escape, or of a surrogate pair, that continues beyond the text.
    std::size_t open = none;
};

/// Replaces all of them by \ufffd, which has the same length. The text is JSON or part of it, and begins outside an
/// escape.
surrogate_repair repair_surrogates(std::string& text) noexcept;

/** Lets a parser that stopped at a lone surrogate continue, in any chunking.

    Costs one copy of a chunk with lone surrogates; before that, only a copy of the last bytes of each chunk. */
class string_repair
{
public:
    struct state
    {
        /// The text to continue with: it begins inside a string and outside an escape.
        std::string text;
        /// Its start relative to the chunk: modulo 2^64, because an escape may have begun before the chunk.
        std::size_t begin = 0;
        /// The string begins at the same position, not in an earlier chunk.
        bool whole_string = false;
    };

    /// Records a chunk that the parser has consumed.
    void passed(std::string_view chunk);
    /// The next chunk does not continue the recorded ones.
    void forget() noexcept
    {
        last_.clear();
        begins_escaped_ = false;
    }
    /// @param at  Position in the chunk where the parser stopped. @return nothing when it stopped for another reason.
    ///            Otherwise the state's text must be passed next; earlier text is forgotten.
    [[nodiscard]] std::optional<state> repair(std::string_view chunk, std::size_t at);

private:
    [[nodiscard]] bool ends_escaping() const noexcept;

    /// The end of the recorded text.
    std::string last_;
    /// A backslash before that escapes its first byte.
    bool begins_escaped_ = false;
};

} // namespace kubecoro::detail
