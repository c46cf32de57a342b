// IPv4 addresses as numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::apiserver::service_address {

/// Parses four decimal numbers without leading zeros.
[[nodiscard]] inline std::optional<std::uint32_t> parse(std::string_view text) noexcept
{
    std::uint32_t address = 0;
    for (int part = 0; part < 4; ++part) {
        const auto digits = text.substr(0, part == 3 ? text.size() : text.find('.'));
        if (digits.empty() || digits.size() > 3 || (digits.size() > 1 && digits.front() == '0')) return {};
        std::uint32_t number = 0;
        for (const char c : digits) {
            if (c < '0' || c > '9') return {};
            number = number * 10 + static_cast<std::uint32_t>(c - '0');
        }
        if (number > 255 || (part < 3 && digits.size() == text.size())) return {};
        address = address << 8 | number;
        text.remove_prefix(part == 3 ? digits.size() : digits.size() + 1);
    }
    return address;
}

[[nodiscard]] inline std::string format(std::uint32_t address)
{
    std::string out;
    for (int shift = 24; shift >= 0; shift -= 8) {
        out += std::to_string(address >> shift & 255);
        if (shift > 0) out += '.';
    }
    return out;
}

} // namespace kubecoro::apiserver::service_address
