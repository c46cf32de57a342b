#include "vocabulary/object_sightings.hpp"

namespace kubecoro::detail {

void object_sightings::belongs_to(unsigned owner)
{
    if (is_known_) return;
    owner_ = owner;
    is_known_ = true;
    for (const deferred& d : deferred_) d.table->count_later(d.hash, owner_);
    deferred_.clear();
}

text_table::sighting object_sightings::defer(text_table& table, std::string_view text, std::uint64_t hash)
{
    const text_table::sighting s = table.recall(text, hash);
    if (!s.known && deferred_.size() < most_deferred && table.has_room(text)) deferred_.push_back({&table, hash});
    return s;
}

} // namespace kubecoro::detail
