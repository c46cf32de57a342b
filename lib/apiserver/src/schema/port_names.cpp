#include "schema/port_names.hpp"

#include "objects/status_errors.hpp"
#include "text/json_text.hpp"

#include <algorithm>

namespace kubecoro::apiserver {

std::vector<std::string> port_name_problems(std::string_view name)
{
    constexpr std::size_t longest = 15;
    std::vector<std::string> out;
    const bool right = std::all_of(name.begin(), name.end(), [](char c) { return lower_alnum(c) || c == '-'; });
    if (name.size() > longest) out.emplace_back("must be no more than 15 characters");
    if (!right || name.empty())
        out.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    if (std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; }))
        out.emplace_back("must contain at least one letter (a-z)");
    if (name.find("--") != name.npos) out.emplace_back("must not contain consecutive hyphens");
    if (name.starts_with('-') || name.ends_with('-')) out.emplace_back("must not begin or end with a hyphen");
    return out;
}

void validate_port(const json::value* port, const std::string& field, std::vector<status_cause>& causes)
{
    if (port && port->is_string()) {
        const std::string_view name = port->get_string();
        for (const auto& why : port_name_problems(name))
            causes.push_back(errors::invalid_value(field, quote(name), why));
    } else if (const auto number = port && port->is_number() ? port->to_number<std::int64_t>() : 0; !is_port(number)) {
        causes.push_back(errors::invalid_value(field, std::to_string(number), port_rule));
    }
}

} // namespace kubecoro::apiserver
