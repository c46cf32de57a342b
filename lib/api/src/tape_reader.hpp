// Reads a tape in place. Nothing here trusts the bytes: every length is checked against the end that was given.
#pragma once

#include "tape_format.hpp"

#include <kubecoro/api/value_view.hpp>

#include <cstring>
#include <string_view>

namespace kubecoro::detail {

/// One value taken apart. For text and containers [body, end) is the content; `end` is always where the value ends.
struct head
{
    value_kind kind = value_kind::absent;
    const unsigned char* body = nullptr;
    const unsigned char* end = nullptr;
    /// Members or items as the tape states them, at most the bytes of the body.
    std::size_t count = 0;
    /// Of an integer; 0 or 1 of a boolean.
    std::int64_t number = 0;

    [[nodiscard]] std::string_view text() const noexcept
    {
        return {reinterpret_cast<const char*>(body), static_cast<std::size_t>(end - body)};
    }
};

[[nodiscard]] inline head sized_head(value_kind kind, const unsigned char* at, const unsigned char* end,
                                     std::size_t width) noexcept
{
    const auto left = static_cast<std::size_t>(end - at);
    if (left < width) return {};
    const std::uint64_t length = load(at, width);
    if (length > left - width) return {};
    return {kind, at + width, at + width + length};
}

[[nodiscard]] inline head container_head(value_kind kind, const unsigned char* at, const unsigned char* end,
                                         std::size_t width) noexcept
{
    const auto left = static_cast<std::size_t>(end - at);
    if (left < 2 * width) return {};
    const std::uint64_t length = load(at, width);
    const std::uint64_t count = load(at + width, width);
    if (length > left - 2 * width || count > length) return {};
    return {kind, at + 2 * width, at + 2 * width + length, static_cast<std::size_t>(count)};
}

[[nodiscard]] inline head integer_head(const unsigned char* at, const unsigned char* end, std::size_t width) noexcept
{
    if (static_cast<std::size_t>(end - at) < width) return {};
    const unsigned shift = static_cast<unsigned>(64 - 8 * width);
    const auto value = static_cast<std::int64_t>(load(at, width) << shift) >> shift;
    return {value_kind::integer, at, at + width, 0, value};
}

/// The value at `at`; kind absent when there is none or it does not end before `end`.
[[nodiscard]] inline head read_head(const unsigned char* at, const unsigned char* end) noexcept
{
    if (at == end) return {};
    const unsigned char t = *at++;
    if (t <= tag::string_max) {
        if (static_cast<std::size_t>(end - at) < t) return {};
        return {value_kind::string, at, at + t};
    }
    if (t <= tag::small_max) return {value_kind::integer, at, at, 0, t - tag::small_0};
    switch (t) {
    case tag::null:
        return {value_kind::null, at, at};
    case tag::false_:
        return {value_kind::boolean, at, at};
    case tag::true_:
        return {value_kind::boolean, at, at, 0, 1};
    case tag::empty_object:
        return {value_kind::object, at, at};
    case tag::empty_array:
        return {value_kind::array, at, at};
    case tag::string_8:
        return sized_head(value_kind::string, at, end, 1);
    case tag::string_16:
        return sized_head(value_kind::string, at, end, 2);
    case tag::string_32:
        return sized_head(value_kind::string, at, end, 4);
    case tag::number_8:
        return sized_head(value_kind::number, at, end, 1);
    case tag::number_32:
        return sized_head(value_kind::number, at, end, 4);
    case tag::int_8:
        return integer_head(at, end, 1);
    case tag::int_16:
        return integer_head(at, end, 2);
    case tag::int_32:
        return integer_head(at, end, 4);
    case tag::int_64:
        return integer_head(at, end, 8);
    case tag::object_8:
        return container_head(value_kind::object, at, end, 1);
    case tag::object_8 + 1:
        return container_head(value_kind::object, at, end, 2);
    case tag::object_32:
        return container_head(value_kind::object, at, end, 4);
    case tag::array_8:
        return container_head(value_kind::array, at, end, 1);
    case tag::array_8 + 1:
        return container_head(value_kind::array, at, end, 2);
    case tag::array_32:
        return container_head(value_kind::array, at, end, 4);
    default:
        return {};
    }
}

/// The key at `at`; null when it does not end before `end`, else where its value starts.
[[nodiscard]] inline const unsigned char* read_key(const unsigned char* at, const unsigned char* end,
                                                   std::string_view& key) noexcept
{
    if (at == end) return nullptr;
    std::size_t length = *at++;
    if (length == long_key) {
        if (end - at < 4) return nullptr;
        length = static_cast<std::size_t>(load(at, 4));
        at += 4;
    } else if (length > short_key_max)
        return nullptr;
    if (length > static_cast<std::size_t>(end - at)) return nullptr;
    key = {reinterpret_cast<const char*>(at), length};
    return at + length;
}

/// A key with its value, both inside the body they were read from.
struct member_at
{
    std::string_view key;
    const unsigned char* value = nullptr;
    const unsigned char* end = nullptr;
    explicit operator bool() const noexcept { return value != nullptr; }
};

[[nodiscard]] inline member_at read_member(const unsigned char* at, const unsigned char* end) noexcept
{
    member_at m;
    const unsigned char* value = read_key(at, end, m.key);
    if (value == nullptr) return {};
    const head h = read_head(value, end);
    if (h.kind == value_kind::absent) return {};
    m.value = value;
    m.end = h.end;
    return m;
}

} // namespace kubecoro::detail

namespace kubecoro {

/// Makes views of tapes, for the files of this module.
class tape_access
{
public:
    /// Absent when there is no whole value at `at`.
    [[nodiscard]] static value_view view(const unsigned char* at, const unsigned char* end) noexcept
    {
        const detail::head h = detail::read_head(at, end);
        return h.kind == value_kind::absent ? value_view{} : value_view{at, h.end};
    }
    [[nodiscard]] static detail::head head_of(const value_view& v) noexcept
    {
        return v.at_ == nullptr ? detail::head{} : detail::read_head(v.at_, v.end_);
    }
    /// The bytes of the value itself.
    [[nodiscard]] static std::string_view bytes(const value_view& v) noexcept
    {
        return {reinterpret_cast<const char*>(v.at_), static_cast<std::size_t>(v.end_ - v.at_)};
    }
};

} // namespace kubecoro
