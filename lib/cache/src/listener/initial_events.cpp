#include "listener/initial_events.hpp"

#include <utility>

namespace kubecoro::detail {

object_map<std::size_t>& initial_events::places()
{
    if (!places_) {
        places_.emplace();
        places_->reserve(items_.size());
        for (auto& o : std::exchange(items_, {})) change(std::move(o)); // merges duplicates
    }
    return *places_;
}

void initial_events::add(object o)
{
    if (places_) return change(std::move(o));
    items_.push_back(std::move(o));
}

void initial_events::change(object o)
{
    auto& known = places();
    const auto found = known.find(o);
    const std::size_t place = found == known.end() ? items_.size() : found->second;
    // The handle in the table keeps the text of its key alive: erase the old one first.
    if (found == known.end())
        items_.push_back(o);
    else
        known.erase(found);
    items_[place] = o;
    known.emplace(std::move(o), place);
}

void initial_events::remove(object_key_view key)
{
    auto& known = places();
    const auto found = known.find(key);
    if (found == known.end()) return;
    const std::size_t place = found->second;
    known.erase(found);
    if (place + 1 != items_.size()) {
        items_[place] = std::move(items_.back());
        known.insert_or_assign(items_[place], place);
    }
    items_.pop_back();
}

std::vector<object> initial_events::take()
{
    places_.reset();
    return std::exchange(items_, {});
}

} // namespace kubecoro::detail
