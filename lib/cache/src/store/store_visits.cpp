#include "store/store_visits.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kubecoro::detail {
namespace {

/// Below this number set aside, taking references is not worthwhile.
constexpr std::size_t few = 1024;

/// Number of whole tables set aside: a second relist in the time of one visit is rare.
constexpr std::size_t most_whole = 1;

} // namespace

store_visits::visit::~visit()
{
    if (of_ != nullptr) of_->close(*this);
}

void store_visits::open(visit& v)
{
    std::lock_guard lock(mutex_);
    open_.push_back(&v);
    v.of_ = this;
    visited_ += v.objects.size();
    count_.store(open_.size(), std::memory_order_release);
}

void store_visits::close(visit& v)
{
    // May hold the last references: freed outside the lock.
    std::vector<kept_object> unused;
    std::vector<std::shared_ptr<const void>> unused_whole;
    std::lock_guard lock(mutex_);
    const auto at = std::find(open_.begin(), open_.end(), &v);
    if (at == open_.end()) return; // references were already taken for it
    open_.erase(at);
    visited_ -= v.objects.size();
    if (open_.empty()) {
        unused.swap(aside_);
        unused_whole.swap(whole_);
    }
    count_.store(open_.size(), std::memory_order_release);
}

store_visits::removal::removal(store_visits& of, std::size_t most) : of_(of), wanted_(of.any())
{
    if (!wanted_) return;
    gone_.reserve(most);
    of_.make_room(most);
}

store_visits::removal::~removal()
{
    if (!gone_.empty()) of_.set_aside(std::move(gone_));
}

void store_visits::make_room(std::size_t n)
{
    std::lock_guard lock(mutex_);
    const auto wanted = aside_.size() + n;
    if (!open_.empty() && wanted > aside_.capacity()) aside_.reserve(std::max(wanted, 2 * aside_.capacity()));
}

/// There is room for them, unless all visits have ended since.
void store_visits::set_aside(std::vector<kept_object> gone) noexcept
{
    std::lock_guard lock(mutex_);
    if (open_.empty()) return;
    aside_.insert(aside_.end(), std::make_move_iterator(gone.begin()), std::make_move_iterator(gone.end()));
}

void store_visits::bound() noexcept
{
    if (!any()) return;
    std::vector<kept_object> unused;
    std::vector<std::shared_ptr<const void>> unused_whole;
    std::lock_guard lock(mutex_);
    if (open_.empty() || (aside_.size() < std::max(few, visited_) && whole_.size() <= most_whole)) return;
    try {
        for (visit* const v : open_) v->counted_.reserve(v->objects.size());
    } catch (...) { // no memory: the next removal tries again
        return;
    }
    for (visit* const v : open_)
        for (const auto& o : v->objects) v->counted_.push_back(o.keep());
    open_.clear();
    visited_ = 0;
    unused.swap(aside_);
    unused_whole.swap(whole_);
    count_.store(0, std::memory_order_release);
}

std::size_t store_visits::aside() const
{
    std::lock_guard lock(mutex_);
    return aside_.size();
}

} // namespace kubecoro::detail
