// Keys of ConfigMaps and Secrets.
#pragma once

#include "objects/names.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// Why a text is no key; none if it is one.
[[nodiscard]] inline std::vector<std::string> config_key_problems(std::string_view key)
{
    constexpr std::size_t longest = 253;
    std::vector<std::string> out;
    const bool right = !key.empty() && std::all_of(key.begin(), key.end(),
                                                   [](char c) { return alnum(c) || c == '-' || c == '_' || c == '.'; });
    if (key.size() > longest) out.emplace_back("must be no more than 253 characters");
    if (!right)
        out.emplace_back(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
            "'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')");
    if (key == ".")
        out.emplace_back("must not be '.'");
    else if (key == "..")
        out.emplace_back("must not be '..'");
    else if (key.starts_with(".."))
        out.emplace_back("must not start with '..'");
    return out;
}

} // namespace kubecoro::apiserver
