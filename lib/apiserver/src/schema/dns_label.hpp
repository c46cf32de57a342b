// Labels of RFC 1035, which names of definitions are.
#pragma once

#include "objects/names.hpp"

#include <string>
#include <string_view>

namespace kubecoro::apiserver {

/// Why a text is no label of RFC 1035; empty if it is one.
[[nodiscard]] inline std::string dns_1035_problem(std::string_view text)
{
    constexpr std::size_t longest = 63;
    const bool right = is_label(text) && text.front() > '9';
    std::string out = text.size() > longest ? "must be no more than 63 characters" : "";
    if (!right)
        out += std::string(out.empty() ? "" : ",") +
               "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
               "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for "
               "validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
    return out;
}

} // namespace kubecoro::apiserver
