// Reads a tape in place. The bytes are not trusted: every length and number is checked.
#pragma once

#include "tape/tape_format.hpp"
#include "tape/vocabulary.hpp"

#include <kubecoro/api/value_view.hpp>

#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace kubecoro::detail {

/// One decoded value. `end` is the end of the value, and also of a container's content.
struct head
{
    value_kind kind = value_kind::absent;
    /// The object may hold a key twice.
    bool loose = false;
    /// The text, in the tape or in the vocabulary, or the members or items.
    const unsigned char* body = nullptr;
    std::size_t size = 0;
    const unsigned char* end = nullptr;
    /// Value of an integer; 0 or 1 for a boolean.
    std::int64_t number = 0;

    [[nodiscard]] std::string_view text() const noexcept { return {reinterpret_cast<const char*>(body), size}; }
};

/// Returns the end of the value at `at`; null when it is missing or does not end before `end`.
[[nodiscard]] inline const unsigned char* skip_value(const unsigned char* at, const unsigned char* end) noexcept
{
    if (at == end) return nullptr;
    const auto left = static_cast<std::size_t>(end - at);
    if (const std::size_t size = plain_sizes[*at]; size != 0) return size <= left ? at + size : nullptr;
    const shape& s = shapes[*at];
    if (s.fixed == 0 || left < s.fixed) return nullptr;
    const std::uint64_t length = s.width == 1 ? at[1] : load(at + 1, s.width);
    if (length > left - s.fixed) return nullptr;
    return at + s.fixed + length;
}

[[nodiscard]] inline std::int64_t read_integer(const unsigned char* at, const unsigned char* end) noexcept
{
    if (*at <= tag::small_max) return *at - tag::small_0;
    const auto width = static_cast<std::size_t>(end - at) - 1;
    const auto shift = static_cast<unsigned>(64 - 8 * width);
    return static_cast<std::int64_t>(load(at + 1, width) << shift) >> shift;
}

[[nodiscard]] inline bool is_shared(unsigned char t) noexcept
{
    return (t >= tag::value_0 && t <= tag::value_max) || t == tag::value_16;
}

[[nodiscard]] inline unsigned read_value_number(const unsigned char* at) noexcept
{
    const unsigned t = *at;
    if (t < tag::value_wide) return t - tag::value_0;
    if (t == tag::value_16) return static_cast<unsigned>(wide_values + load_bytes<2>(at + 1));
    return static_cast<unsigned>(short_values) + (t - tag::value_wide) * 256 + at[1];
}

[[nodiscard]] inline bool is_shared_container(unsigned char t) noexcept
{
    return t == tag::shared_8 || t == tag::shared_16;
}

[[nodiscard]] inline unsigned read_container_number(const unsigned char* at) noexcept
{
    return *at == tag::shared_8 ? at[1] : static_cast<unsigned>(short_containers + load_bytes<2>(at + 1));
}

/// The text of a value number; data() is null for an unknown number.
[[nodiscard]] inline std::string_view read_shared(const unsigned char* at, const vocabulary* words) noexcept
{
    return words == nullptr ? std::string_view{} : words->value(read_value_number(at));
}

/// The text of the string in [at, end), whose number, if any, must be valid; data() is null for any other value.
[[nodiscard]] inline std::string_view read_text(const unsigned char* at, const unsigned char* end,
                                                const vocabulary* words) noexcept
{
    if (is_shared(*at)) return words->value(read_value_number(at));
    const shape& s = shapes[*at];
    if (s.kind != value_kind::string) return {};
    const unsigned char* const text = at + 1 + s.width;
    return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(end - text)};
}

/// The value at `at`. Its kind is absent when it is missing, does not end before `end`, has an unknown number, or is a
/// shared container, which views resolve.
[[nodiscard]] inline head read_head(const unsigned char* at, const unsigned char* end, const vocabulary* words) noexcept
{
    const unsigned char* const next = skip_value(at, end);
    if (next == nullptr) return {};
    const unsigned char t = *at;
    const shape& s = shapes[t];
    const unsigned char* const body = at + 1 + s.width;
    const auto size = static_cast<std::size_t>(next - body);
    switch (s.kind) {
    case value_kind::absent:
        return {};
    case value_kind::integer:
        return {s.kind, false, nullptr, 0, next, read_integer(at, next)};
    case value_kind::boolean:
        return {s.kind, false, nullptr, 0, next, t == tag::true_};
    case value_kind::string:
        if (is_shared(t)) {
            const std::string_view text = read_shared(at, words);
            if (text.data() == nullptr) return {};
            return {s.kind, false, reinterpret_cast<const unsigned char*>(text.data()), text.size(), next};
        }
        return {s.kind, false, body, size, next};
    default:
        return {s.kind, t == tag::loose_object, body, size, next};
    }
}

/// Reads the key at `at`. Returns the start of its value; null when the key does not end before `end` or is unknown.
[[nodiscard]] inline const unsigned char* read_key(const unsigned char* at, const unsigned char* end,
                                                   const vocabulary* words, std::string_view& key) noexcept
{
    if (at == end) return nullptr;
    const unsigned t = *at++;
    if (t < key_tag::inline_8) {
        unsigned number = t;
        if (t >= key_tag::wide) {
            if (at == end) return nullptr;
            number = static_cast<unsigned>(short_keys) + (t - key_tag::wide) * 256 + *at++;
        }
        if (words == nullptr) return nullptr;
        key = words->key(number);
        return key.data() == nullptr ? nullptr : at;
    }
    const std::size_t width = t == key_tag::inline_8 ? 1 : 4;
    if (static_cast<std::size_t>(end - at) < width) return nullptr;
    const std::size_t length = static_cast<std::size_t>(load(at, width));
    at += width;
    if (length > static_cast<std::size_t>(end - at)) return nullptr;
    key = {reinterpret_cast<const char*>(at), length};
    return at + length;
}

/// A member in the tape of its object.
struct tape_member
{
    std::string_view key;
    const unsigned char* begin = nullptr;
    const unsigned char* value = nullptr;
    const unsigned char* end = nullptr;
};

/// Calls `each` for every complete member of the object at `at`. Does nothing for a shared container.
template<class Each>
inline void for_each_member(const unsigned char* at, const unsigned char* end, const vocabulary* words, Each&& each)
{
    const head h = read_head(at, end, words);
    if (h.kind != value_kind::object) return;
    tape_member m;
    for (m.end = h.body; m.end != h.end;) {
        m.begin = m.end;
        m.value = read_key(m.begin, h.end, words, m.key);
        if (m.value == nullptr) return;
        m.end = skip_value(m.value, h.end);
        if (m.end == nullptr) return;
        each(m);
    }
}

/// Offset of these bytes in the tape; none when they are elsewhere.
[[nodiscard]] inline std::optional<std::uint32_t> offset_in(std::span<const unsigned char> tape,
                                                            std::string_view value) noexcept
{
    const auto* const at = reinterpret_cast<const unsigned char*>(value.data());
    const std::less<const unsigned char*> before; // orders any two pointers
    if (before(at, tape.data()) || !before(at, tape.data() + tape.size())) return std::nullopt;
    return static_cast<std::uint32_t>(at - tape.data());
}

} // namespace kubecoro::detail

namespace kubecoro {

/// Creates views of tapes, for the files of this module.
class tape_access
{
public:
    /// Absent when there is no complete value at `at`.
    [[nodiscard]] static value_view view(const unsigned char* at, const unsigned char* end,
                                         const detail::vocabulary* words) noexcept
    {
        const unsigned char* const next = detail::skip_value(at, end);
        return next == nullptr ? value_view{} : whole(at, next, words);
    }
    /// A view of the value that ends at `next`; absent when its number is unknown. For a shared container, a view of
    /// its content in the vocabulary, so that no view refers to a container by number.
    [[nodiscard]] static value_view whole(const unsigned char* at, const unsigned char* next,
                                          const detail::vocabulary* words) noexcept
    {
        const unsigned char t = *at;
        if (t < detail::tag::value_0 || (t > detail::tag::value_max && t < detail::tag::shared_8))
            return {at, next, words};
        if (words == nullptr) return {};
        if (detail::is_shared_container(t)) return shared(detail::read_container_number(at), words);
        return detail::read_value_number(at) < words->values().size() ? value_view{at, next, words} : value_view{};
    }
    [[nodiscard]] static detail::head head_of(const value_view& v) noexcept
    {
        return v.at_ == nullptr ? detail::head{} : detail::read_head(v.at_, v.end_, v.words_);
    }
    /// Same as as_string().
    [[nodiscard]] static std::string_view text_of(const value_view& v, std::string_view fallback = {}) noexcept
    {
        if (v.at_ == nullptr) return fallback;
        const std::string_view text = detail::read_text(v.at_, v.end_, v.words_);
        return text.data() == nullptr ? fallback : text;
    }
    /// The bytes of the value itself; for a shared container, or a value inside one, they are not in the object's own
    /// tape.
    [[nodiscard]] static std::string_view bytes(const value_view& v) noexcept
    {
        return {reinterpret_cast<const char*>(v.at_), static_cast<std::size_t>(v.end_ - v.at_)};
    }
    /// True for equal bytes under the same vocabulary, which proves equality.
    [[nodiscard]] static bool same_bytes(const value_view& a, const value_view& b) noexcept
    {
        return a.words_ == b.words_ && bytes(a) == bytes(b);
    }

private:
    [[nodiscard]] static value_view shared(unsigned number, const detail::vocabulary* words) noexcept
    {
        const std::string_view tape = words->container(number);
        const auto* const at = reinterpret_cast<const unsigned char*>(tape.data());
        return at == nullptr ? value_view{} : value_view{at, at + tape.size(), words};
    }
};

} // namespace kubecoro
