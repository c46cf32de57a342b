#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro {

/** A text as an argument: made from a text of any kind, and a copy of its own, because a coroutine outlives the call.

        co_await pods.get(found.name()); // a view into the object, which may go before the answer comes */
class kept_text : public std::string
{
public:
    /// Empty.
    kept_text() noexcept = default;
    /// Takes a text over.
    kept_text(std::string text) noexcept : std::string(std::move(text)) {}
    /// Copies a text.
    kept_text(std::string_view text) : std::string(text) {}
    /// Copies a text that ends with a zero byte. Not null.
    kept_text(const char* text) : std::string(text) {}
    kept_text(std::nullptr_t) = delete;
    /// Deleted: one text belongs here. C++ would make one of two, from the first one's beginning to the second one's end.
    template<class... More>
    kept_text(const char* first, const char* second, More... more) = delete; // one pair of braces: {"web", "jobs"}
};

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
