#include "store/store_visits.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kubecoro::detail {
namespace {

/// Below this number set aside, taking references is not worthwhile.
constexpr std::size_t few = 1024;

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
    std::vector<kept_object> unused; // may hold the last references: freed outside the lock
    std::lock_guard lock(mutex_);
    const auto at = std::find(open_.begin(), open_.end(), &v);
    if (at == open_.end()) return; // references were already taken for it
    open_.erase(at);
    visited_ -= v.objects.size();
    if (open_.empty()) unused.swap(aside_);
    count_.store(open_.size(), std::memory_order_release);
}

void store_visits::leave(std::vector<kept_object> gone)
{
    std::vector<kept_object> unused;
    std::lock_guard lock(mutex_);
    if (open_.empty()) return;
    aside_.insert(aside_.end(), std::make_move_iterator(gone.begin()), std::make_move_iterator(gone.end()));
    if (aside_.size() < std::max(few, visited_)) return;
    for (visit* const v : open_) {
        v->counted_.reserve(v->objects.size());
        for (const auto& o : v->objects) v->counted_.push_back(o.keep());
    }
    open_.clear();
    visited_ = 0;
    unused.swap(aside_);
    count_.store(0, std::memory_order_release);
}

std::size_t store_visits::aside() const
{
    std::lock_guard lock(mutex_);
    return aside_.size();
}

} // namespace kubecoro::detail
