#include "connect/lookup_core.hpp"

namespace kubecoro::detail {

namespace {

constexpr std::chrono::seconds good_for{5};
constexpr std::chrono::seconds bad_for{1};

} // namespace

lookup_core::action lookup_core::ask(const std::string& name, moment now)
{
    std::erase_if(names_, [now](const auto& named) { return named.second.found && now >= named.second.good_until; });
    const auto [at, added] = names_.try_emplace(name);
    if (added) return begin{};
    if (!at->second.found) return join{};
    return *at->second.found;
}

void lookup_core::on_result(const std::string& name, const lookup_result& found, moment now)
{
    names_[name] = {found, now + (found ? good_for : bad_for)};
}

} // namespace kubecoro::detail
