#include "flags.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace kubecoro::tool {

CLI::Validator whole_number_from_one()
{
    // CLI11's own range check prints the limits of the type.
    const auto check = [](std::string& text) {
        std::uint32_t n = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
        const bool good = error == std::errc() && end == text.data() + text.size() && n != 0;
        return good ? std::string() : "expects a whole number from 1 to 4294967295, not " + text;
    };
    return CLI::Validator(check, "COUNT");
}

bool is_namespace(const std::string& name)
{
    const auto inner = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    return !name.empty() && name.size() <= 63 && name.front() != '-' && name.back() != '-' &&
           std::all_of(name.begin(), name.end(), inner);
}

} // namespace kubecoro::tool
