#include "writes/own_writes.hpp"

#include <kubecoro/base/detail/expect.hpp>

#include <utility>

namespace kubecoro::detail {

own_writes::added own_writes::add(object_key_view key, const std::vector<own_writes_core::write>& writes,
                                  const std::vector<own_writes_core::removal>& removals, time_point expiry)
{
    added out;
    std::lock_guard lock(mutex_);
    out.first = core_.size() == 0;
    const auto told = core_.add(key, writes, removals, expiry);
    any_ = core_.size() != 0;
    for (const auto& p : told.begun) out.places.push_back({p, signals_[p.id]});
    tell(told);
    return out;
}

bool own_writes::hold(object_key_view key, int priority)
{
    if (!any_) return false;
    std::lock_guard lock(mutex_);
    return core_.hold(key, priority);
}

std::optional<std::string> own_writes::next(own_writes_core::place_id id)
{
    std::lock_guard lock(mutex_);
    auto version = core_.next(id);
    if (!version) signals_.erase(id);
    return version;
}

void own_writes::reached(own_writes_core::place_id id, std::string_view version)
{
    std::lock_guard lock(mutex_);
    core_.reached(id, version, released_);
    any_ = core_.size() != 0;
}

void own_writes::give_up(own_writes_core::place_id id)
{
    std::lock_guard lock(mutex_);
    core_.give_up(id, released_);
    signals_.erase(id);
    any_ = core_.size() != 0;
}

bool own_writes::awaits_removal(std::uint32_t source, object_key_view key) const
{
    if (!any_) return false;
    std::lock_guard lock(mutex_);
    return core_.awaits_removal(source, key);
}

void own_writes::shows(std::uint32_t source, object_key_view key, std::string_view uid, bool being_deleted)
{
    std::lock_guard lock(mutex_);
    core_.shows(source, key, uid, being_deleted, released_);
    any_ = core_.size() != 0;
}

void own_writes::give_up_removals(std::uint32_t source)
{
    std::lock_guard lock(mutex_);
    core_.give_up_removals(source, released_);
    any_ = core_.size() != 0;
}

std::size_t own_writes::expire(time_point now)
{
    own_writes_core::news told;
    std::lock_guard lock(mutex_);
    const auto in_vain = core_.expire(now, released_, told);
    any_ = core_.size() != 0;
    tell(told);
    return in_vain;
}

own_writes::released own_writes::take_released()
{
    std::lock_guard lock(mutex_);
    return std::exchange(released_, {});
}

void own_writes::put_back(released keys)
{
    std::lock_guard lock(mutex_);
    keys.insert(keys.end(), released_.begin(), released_.end());
    released_ = std::move(keys);
}

void own_writes::tell(const own_writes_core::news& told) const
{
    KUBECORO_EXPECT(mutex_.held_here());
    for (const auto id : told.changed) signals_.at(id).notify();
}

void own_writes::wake(std::uint32_t source) const
{
    std::lock_guard lock(mutex_);
    for (const auto id : core_.places_of(source)) signals_.at(id).notify();
}

std::optional<time_point> own_writes::next_expiry() const
{
    std::lock_guard lock(mutex_);
    return core_.next_expiry();
}

std::size_t own_writes::held() const
{
    std::lock_guard lock(mutex_);
    return core_.held();
}

} // namespace kubecoro::detail
