#include "tape/object_sightings.hpp"

namespace kubecoro::detail {

void object_sightings::belongs_to(unsigned object)
{
    if (is_known_) return;
    object_ = object;
    is_known_ = true;
    for (const deferred& d : deferred_)
        d.table->count_later(d.hash, d.size, {d.per_version ? document_ : object_, namespace_, d.is_users});
    deferred_.clear();
}

text_table::sighting object_sightings::defer(std::string_view text, const deferred& d)
{
    const text_table::sighting s = d.table->recall(text, d.hash);
    if (!s.known && deferred_.size() < most_deferred && d.table->has_room(text)) deferred_.push_back(d);
    return s;
}

} // namespace kubecoro::detail
