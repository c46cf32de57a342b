// Reads messages of texts: envelopes, frames, and the types in them.
#pragma once

#include "protobuf/wire_cursor.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kubecoro::detail {

/** Returns the texts in the fields 1 to N of a message; absent ones have no data(). Later fields are passed over.

    @param is_cut  The message may end inside one of its fields: that text is as much of it as is there.
    @return none if the message is damaged, if one of the fields is no text, or if fields are out of order. */
template<std::size_t N>
[[nodiscard]] std::optional<std::array<std::string_view, N>> read_texts(std::string_view message,
                                                                        bool is_cut = false) noexcept
{
    std::array<std::string_view, N> out;
    std::uint32_t last = 0;
    wire_cursor in(message);
    while (!in.done()) {
        wire_field w;
        const bool is_whole = in.next(w);
        if (!is_whole) {
            const auto begun = is_cut ? in.cut_field() : std::nullopt;
            if (!begun) return std::nullopt;
            w = *begun;
        }
        const bool is_known = w.number <= N;
        if (w.number < last || (w.number == last && is_known)) return std::nullopt;
        last = w.number;
        if (is_known && w.type != wire_type::length) return std::nullopt;
        if (is_known) out[w.number - 1] = w.content;
        if (!is_whole) return out;
    }
    return out;
}

} // namespace kubecoro::detail
