#include "shards/run_gate.hpp"

#include <algorithm>
#include <utility>

namespace kubecoro::detail {

run_gate::pass::~pass()
{
    if (!gate_) return;
    bool outside = false;
    {
        std::lock_guard lock(gate_->mutex_);
        outside = run_->until.has_value();
        gate_->runs_.erase(run_);
    }
    if (outside) gate_->run_ended_.notify();
}

run_gate::pass run_gate::enter(object_key_view key)
{
    pass out;
    std::lock_guard lock(mutex_);
    if (!current_.share || !current_.share->covers(key)) return out;
    runs_.push_back({.key = object_key(key)});
    out.run_ = std::prev(runs_.end());
    out.gate_ = shared_from_this();
    return out;
}

run_gate::picture run_gate::current() const
{
    std::lock_guard lock(mutex_);
    return current_;
}

void run_gate::subscribe(const std::shared_ptr<wake_signal>& listener)
{
    std::lock_guard lock(mutex_);
    std::erase_if(listeners_, [](const auto& l) { return l.expired(); });
    listeners_.push_back(listener);
}

void run_gate::assign(std::shared_ptr<const shard_share> share, time_point runs_until)
{
    std::lock_guard lock(mutex_);
    current_ = {std::move(share), current_.number + 1};
    for (auto& r : runs_) {
        if (current_.share->covers(r.key))
            r.until.reset();
        else
            r.until = std::min(r.until.value_or(runs_until), runs_until);
    }
    for (const auto& listener : listeners_)
        if (const auto there = listener.lock()) there->notify();
}

std::size_t run_gate::outside() const
{
    std::lock_guard lock(mutex_);
    const auto n = std::count_if(runs_.begin(), runs_.end(), [](const auto& r) { return r.until.has_value(); });
    return static_cast<std::size_t>(n);
}

overdue_runs run_gate::cancel_overdue(time_point now)
{
    std::lock_guard lock(mutex_);
    overdue_runs out;
    for (const auto& r : runs_) {
        if (!r.until || r.cancel.settled()) continue;
        const bool is_overdue = now >= *r.until;
        if (is_overdue) r.cancel.settle({});
        out.add(is_overdue ? overdue_runs{.cancelled = 1} : overdue_runs{.next = r.until});
    }
    return out;
}

bool share_gain::possible() const noexcept
{
    if (now->within.empty()) return false;
    if (!before) return true;
    if (before->within.empty()) return true;
    const auto has_all = [](const auto& all, const auto& these) {
        return std::all_of(these.begin(), these.end(),
                           [&all](const auto& x) { return std::find(all.begin(), all.end(), x) != all.end(); });
    };
    // Every limit of before still holds: the share can only have become smaller.
    return !has_all(now->within, before->within) || !has_all(now->others, before->others);
}

} // namespace kubecoro::detail
