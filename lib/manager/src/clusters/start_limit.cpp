#include "clusters/start_limit.hpp"

#include <kubecoro/base/clock.hpp>

#include <algorithm>

namespace kubecoro::detail {

bool start_limit::take(const std::string& name, time_point now)
{
    if (most_ == 0) return true;
    if (full()) {
        waiting_.insert(name);
        return false;
    }
    starting_.insert_or_assign(name, time_after(now, patience_));
    waiting_.erase(name);
    return true;
}

void start_limit::end(std::string_view name)
{
    if (const auto at = starting_.find(name); at != starting_.end()) starting_.erase(at);
}

void start_limit::forget(std::string_view name)
{
    end(name);
    if (const auto at = waiting_.find(name); at != waiting_.end()) waiting_.erase(at);
}

void start_limit::expire(time_point now)
{
    std::erase_if(starting_, [now](const auto& s) { return s.second <= now; });
}

const std::string* start_limit::next() const { return full() || waiting_.empty() ? nullptr : &*waiting_.begin(); }

std::optional<time_point> start_limit::due() const
{
    if (waiting_.empty() || starting_.empty()) return std::nullopt;
    const auto earlier = [](const auto& a, const auto& b) { return a.second < b.second; };
    return std::min_element(starting_.begin(), starting_.end(), earlier)->second;
}

} // namespace kubecoro::detail
