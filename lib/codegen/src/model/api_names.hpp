// The names that the API allows.
#pragma once

#include <algorithm>
#include <string_view>

namespace kubecoro::codegen {

/// Whether a text is a DNS label, or one with capital letters.
[[nodiscard]] inline bool is_label(std::string_view text, bool capitals)
{
    const auto is_word = [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || (capitals && c >= 'A' && c <= 'Z');
    };
    return !text.empty() && text.size() <= 63 && text.front() != '-' && text.back() != '-' &&
           std::ranges::all_of(text, is_word);
}

/// Such as "v1beta1" and "pods".
[[nodiscard]] inline bool is_lower_label(std::string_view text) { return is_label(text, false); }

/// Such as "Pod".
[[nodiscard]] inline bool is_kind_name(std::string_view text) { return is_label(text, true); }

/// Labels with dots between them: "shop.example.com".
[[nodiscard]] inline bool is_group(std::string_view text)
{
    if (text.size() > 253) return false;
    for (auto dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.')) {
        if (!is_label(text.substr(0, dot), false)) return false;
        text.remove_prefix(dot + 1);
    }
    return is_label(text, false);
}

} // namespace kubecoro::codegen
