// The words of an expression.
#pragma once

#include <kubecoro/cel/value.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace kubecoro::cel::detail {

enum class token_kind : std::uint8_t
{
    end,
    identifier,
    /// A name between backticks.
    quoted_identifier,
    integer,
    natural,
    real,
    string,
    bytes,
    /// An operator, a bracket, or a sign of punctuation; also `in`, `true`, `false` and `null`.
    sign,
    /// A character that belongs to no word.
    bad
};

struct token
{
    token_kind kind = token_kind::end;
    std::size_t begin = 0;
    std::string_view text;

    [[nodiscard]] bool is(std::string_view sign) const noexcept { return kind == token_kind::sign && text == sign; }
};

class lexer
{
public:
    explicit lexer(std::string_view text) : text_(text) {}

    /// The next word.
    [[nodiscard]] token next();

private:
    void skip_space();
    [[nodiscard]] token make(token_kind kind, std::size_t size);
    [[nodiscard]] token number();
    [[nodiscard]] token quoted(std::size_t prefix, bool is_raw, token_kind kind);
    [[nodiscard]] char peek(std::size_t ahead) const noexcept
    {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

/// The contents of a string or bytes token. An error if it has a wrong escape.
[[nodiscard]] value unquote(const token& from);

} // namespace kubecoro::cel::detail
