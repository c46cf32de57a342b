#include "clusters/cluster_set_core.hpp"

#include <kubecoro/base/clock.hpp>

#include <chrono>
#include <utility>

namespace kubecoro::detail {
namespace step = cluster_step;

void cluster_set_core::offered(std::string_view name, std::string_view revision)
{
    if (stopped_) return;
    entries_[std::string(name)].wanted = std::string(revision);
    changed_.emplace(name);
}

void cluster_set_core::withdrawn(std::string_view name)
{
    const auto at = entries_.find(name);
    if (at == entries_.end()) return;
    at->second.wanted.reset();
    changed_.emplace(name);
}

void cluster_set_core::started(std::string_view name)
{
    starts_.end(name);
    use_free_start();
}

void cluster_set_core::left(std::string_view name)
{
    started(name);
    const auto at = entries_.find(name);
    if (at == entries_.end()) return;
    at->second.present.reset();
    at->second.leaving = false;
    changed_.emplace(name);
}

void cluster_set_core::stop()
{
    stopped_ = true;
    for (auto& [name, e] : entries_) {
        e.wanted.reset();
        changed_.insert(name);
    }
}

step::any cluster_set_core::next(time_point now)
{
    starts_.expire(now);
    use_free_start();
    while (!delayed_.empty() && delayed_.begin()->first <= now) {
        const auto name = delayed_.begin()->second;
        end_delay(name, entries_.at(name));
        changed_.insert(name);
    }
    while (!changed_.empty()) {
        const auto name = std::move(changed_.extract(changed_.begin()).value());
        if (auto s = step_of(name, now)) return *std::move(s);
    }
    if (stopped_ && entries_.empty()) return step::finish{};
    auto until = starts_.due();
    if (!delayed_.empty() && (!until || delayed_.begin()->first < *until)) until = delayed_.begin()->first;
    return step::rest{until};
}

std::optional<step::any> cluster_set_core::step_of(const std::string& name, time_point now)
{
    const auto at = entries_.find(name);
    if (at == entries_.end() || at->second.leaving) return {}; // left() brings it back
    auto& e = at->second;
    if (e.present) {
        if (e.wanted == e.present) return {};
        e.leaving = true;
        return step::leave{name};
    }
    if (!e.wanted) {
        forget(name);
        return {};
    }
    if (!e.has_place && taken_ >= places_) return keep_waiting(name, now);
    waiting_.erase(name);
    if (!std::exchange(e.has_place, true)) ++taken_;
    use_free_place();
    if (delay(name, e, now)) {
        starts_.forget(name);
        return {};
    }
    if (!starts_.take(name, now)) return {};
    use_free_start();
    e.present = e.wanted;
    pace_.joined(name, now);
    return step::join{name};
}

/// Those who register clusters decide how often one has to wait.
std::optional<step::any> cluster_set_core::keep_waiting(const std::string& name, time_point now)
{
    if (!waiting_.insert(name).second) return {};
    if (next_word_ && now < *next_word_) {
        ++unsaid_;
        return {};
    }
    next_word_ = time_after(now, std::chrono::minutes{1});
    return step::keep_waiting{name, std::exchange(unsaid_, 0)};
}

bool cluster_set_core::delay(const std::string& name, entry& e, time_point now)
{
    end_delay(name, e);
    const auto due = pace_.due(name);
    if (!due || *due <= now) return false;
    e.delayed = due;
    delayed_.emplace(*due, name);
    return true;
}

void cluster_set_core::end_delay(const std::string& name, entry& e)
{
    if (e.delayed) delayed_.erase({*e.delayed, name});
    e.delayed.reset();
}

void cluster_set_core::forget(const std::string& name)
{
    const auto at = entries_.find(name);
    if (at->second.has_place) --taken_;
    end_delay(name, at->second);
    waiting_.erase(name);
    starts_.forget(name);
    entries_.erase(at);
    use_free_place();
    use_free_start();
}

/// One at a time: it calls this again when it has its place.
void cluster_set_core::use_free_place()
{
    if (taken_ < places_ && !waiting_.empty()) changed_.insert(*waiting_.begin());
}

void cluster_set_core::use_free_start()
{
    if (const auto* const name = starts_.next()) changed_.insert(*name);
}

} // namespace kubecoro::detail
