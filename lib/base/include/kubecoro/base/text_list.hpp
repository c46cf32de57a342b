#pragma once

#include <concepts>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro {

namespace detail {

/// Texts in braces where one text belongs. C++ makes one text of two, from the first one's beginning to the second one's end,
/// which no object has. A deleted overload with this parameter refuses them.
struct several_texts
{
    /// @param first,second  Such as `{"web", "jobs"}`.
    several_texts(const char* first, const char* second);
};

/// A text of a list in braces. A view, as gcc 13 dies of a list of anything with a destructor in an expression with a co_await.
class listed_text
{
public:
    /// Views a text of any kind.
    listed_text(std::string_view text) noexcept : text_(text) {}
    /// Views a text of any kind.
    listed_text(const std::string& text) noexcept : text_(text) {}
    /// Views a text of any kind. Not null.
    listed_text(const char* text) noexcept : text_(text) {}
    /// Deleted: one text belongs here, as in a kept_text.
    template<class... More>
    listed_text(const char* first, const char* second, More... more) = delete; // one pair of braces: {"web", "jobs"}
    /// Copies it.
    explicit operator std::string() const { return std::string(text_); }

private:
    std::string_view text_;
};

} // namespace detail

/** A list of texts in options: a vector that refuses braces within braces. `{{"web", "jobs"}}` would make one
    std::string of two pointers. */
class text_list : public std::vector<std::string>
{
public:
    text_list() = default;
    /// Copies texts in braces.
    text_list(std::initializer_list<detail::listed_text> items) : std::vector<std::string>(items.begin(), items.end())
    {
    }
    /// Copies a range, such as that of a set.
    template<std::input_iterator It>
        requires std::convertible_to<std::iter_reference_t<It>, std::string>
    text_list(It first, It last) : std::vector<std::string>(first, last)
    {
    }
    /// Keeps a vector.
    text_list(std::vector<std::string> texts) noexcept : std::vector<std::string>(std::move(texts)) {}
};

} // namespace kubecoro
