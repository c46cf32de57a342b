#include "store/version_core.hpp"

#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/detail/expect.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::detail {
namespace {

/// Number of past versions kept that are not comparable: a waiting writer sees its own write within moments.
constexpr std::size_t remembered = 256;

/// Stands for any version: the first list.
constexpr std::string_view anything = "0";

} // namespace

bool version_core::in_order::operator()(std::string_view a, std::string_view b) const noexcept
{
    const bool a_number = is_comparable_version(a);
    const bool b_number = is_comparable_version(b);
    if (a_number != b_number) return a_number;
    return a_number ? std::is_lt(compare_versions(a, b)) : a < b;
}

void version_core::add_lane(std::string_view ns) { lanes_.try_emplace(std::string(ns)); }

std::vector<version_core::ticket> version_core::remove_lane(std::string_view ns)
{
    std::vector<ticket> out;
    const auto at = lanes_.find(ns);
    if (at == lanes_.end()) return out;
    end(at->second, at->second.waiting.begin(), at->second.waiting.end(), out);
    lanes_.erase(at);
    return out;
}

std::vector<std::string> version_core::lanes() const
{
    std::vector<std::string> out;
    out.reserve(lanes_.size());
    for (const auto& [ns, l] : lanes_) out.push_back(ns);
    return out;
}

const version_core::lane* version_core::covering(std::string_view ns) const
{
    auto at = lanes_.find(ns);
    if (at == lanes_.end()) at = lanes_.find(std::string_view{});
    return at == lanes_.end() ? nullptr : &at->second;
}

std::string_view version_core::version(std::string_view ns) const
{
    const lane* l = covering(ns);
    return l ? std::string_view(l->version) : std::string_view{};
}

bool version_core::reached(std::string_view ns, std::string_view wanted) const
{
    const lane* l = covering(ns);
    if (!l || l->version.empty()) return false;
    if (wanted.empty() || wanted == anything || is_at_least(l->version, wanted)) return true;
    return std::find(l->passed.begin(), l->passed.end(), wanted) != l->passed.end();
}

version_core::ticket version_core::wait(std::string_view ns, std::string_view wanted)
{
    KUBECORO_EXPECT(covers(ns) && !reached(ns, wanted));
    const std::string_view name = lanes_.contains(ns) ? ns : std::string_view{};
    auto& waiting = lanes_.find(name)->second.waiting;
    const ticket t = next_++;
    const auto at = waiting.emplace(std::string(wanted.empty() ? anything : wanted), t);
    places_.emplace(t, place{std::string(name), at});
    return t;
}

void version_core::leave(ticket t)
{
    const auto at = places_.find(t);
    if (at == places_.end()) return;
    lanes_.find(at->second.lane)->second.waiting.erase(at->second.at);
    places_.erase(at);
}

std::vector<version_core::ticket> version_core::reach(std::string_view name, std::string_view version)
{
    std::vector<ticket> out;
    const auto at = lanes_.find(name);
    if (at == lanes_.end() || version.empty()) return out;
    lane& l = at->second;
    l.version = version;
    if (is_comparable_version(version)) {
        end(l, l.waiting.begin(), l.waiting.upper_bound(version), out);
    } else {
        const auto [from, to] = l.waiting.equal_range(anything);
        end(l, from, to, out);
        remember(l, version, out);
    }
    return out;
}

std::vector<version_core::ticket> version_core::pass(std::string_view name, std::string_view version)
{
    std::vector<ticket> out;
    const auto at = lanes_.find(name);
    if (at != lanes_.end() && !version.empty() && !is_comparable_version(version)) remember(at->second, version, out);
    return out;
}

void version_core::remember(lane& l, std::string_view version, std::vector<ticket>& out)
{
    if (l.passed.empty() || l.passed.back() != version) l.passed.emplace_back(version);
    if (l.passed.size() > remembered) l.passed.pop_front();
    const auto [from, to] = l.waiting.equal_range(version);
    end(l, from, to, out);
}

void version_core::end(lane& l, waits::iterator from, waits::iterator to, std::vector<ticket>& out)
{
    for (auto at = from; at != to; ++at) {
        out.push_back(at->second);
        places_.erase(at->second);
    }
    l.waiting.erase(from, to);
}

} // namespace kubecoro::detail
