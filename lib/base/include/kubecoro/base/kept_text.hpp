#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

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

} // namespace kubecoro
