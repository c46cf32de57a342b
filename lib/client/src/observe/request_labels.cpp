#include "observe/request_labels.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace kubecoro::detail {

namespace {

constexpr std::array<std::string_view, 6> methods{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"};
constexpr std::array<std::string_view, 5> classes{"1xx", "2xx", "3xx", "4xx", "5xx"};
constexpr std::array<std::string_view, 23> codes{"200", "201", "202", "204", "301", "302", "307", "400",
                                                 "401", "403", "404", "405", "406", "407", "408", "409",
                                                 "410", "413", "415", "422", "429", "500", "501"};
constexpr std::array<std::string_view, 3> gateway_codes{"502", "503", "504"};
constexpr std::size_t longest_label = 100;
// Enough to find resource, name and subresource behind group, version and namespace.
constexpr std::size_t most_segments = 9;

std::vector<std::string_view> segments_of(std::string_view target)
{
    auto path = target.substr(0, target.find('?'));
    std::vector<std::string_view> out;
    while (!path.empty() && out.size() < most_segments) {
        path.remove_prefix(1);
        const auto end = std::min(path.find('/'), path.size());
        if (end > 0) out.push_back(path.substr(0, end));
        path.remove_prefix(end);
    }
    return out;
}

bool is_name(std::string_view text) noexcept
{
    return !text.empty() && text.size() <= longest_label && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '/';
    });
}

bool is_of_namespace_itself(std::string_view segment) noexcept { return segment == "status" || segment == "finalize"; }

} // namespace

std::string_view method_label(std::string_view method) noexcept
{
    const auto* found = std::find(methods.begin(), methods.end(), method);
    return found == methods.end() ? "other" : *found;
}

std::string_view code_label(int status) noexcept
{
    if (status < 100 || status > 599) return "<error>";
    const std::array<char, 3> digits{static_cast<char>('0' + status / 100), static_cast<char>('0' + status / 10 % 10),
                                     static_cast<char>('0' + status % 10)};
    const std::string_view text(digits.data(), digits.size());
    if (const auto* found = std::find(codes.begin(), codes.end(), text); found != codes.end()) return *found;
    if (const auto* found = std::find(gateway_codes.begin(), gateway_codes.end(), text); found != gateway_codes.end())
        return *found;
    return classes[static_cast<std::size_t>(status / 100 - 1)];
}

std::string resource_label(std::string_view target)
{
    const auto segments = segments_of(target);
    std::span<const std::string_view> at(segments);
    std::string_view group;
    const bool is_core = !at.empty() && at[0] == "api";
    if (!is_core && (at.size() < 2 || at[0] != "apis")) return "none";
    if (!is_core) group = at[1];
    const std::size_t prefix = is_core ? 2 : 3;
    if (at.size() <= prefix) return "none";
    at = at.subspan(prefix);
    const bool in_namespace = at[0] == "namespaces" && at.size() > 2 && !(is_core && is_of_namespace_itself(at[2]));
    if (in_namespace) at = at.subspan(2);
    std::string out(at[0]);
    if (!group.empty()) out.append(".").append(group);
    if (at.size() > 2) out.append("/").append(at[2]);
    return is_name(out) ? out : "other";
}

bool is_stream(std::string_view target) noexcept
{
    const auto query = target.find('?');
    if (query == target.npos) return false;
    for (auto rest = target.substr(query + 1); !rest.empty();) {
        const auto pair = rest.substr(0, rest.find('&'));
        const auto name = pair.substr(0, pair.find('='));
        if (name == "watch" || name == "follow") return true;
        rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    }
    return false;
}

} // namespace kubecoro::detail
