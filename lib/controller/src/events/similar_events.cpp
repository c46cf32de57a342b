#include "events/similar_events.hpp"

#include <kubecoro/base/hash.hpp>

#include <algorithm>

namespace kubecoro::detail {

bool similar_events::combines(std::string_view similarity, std::string_view note, time_point now)
{
    group& g = groups_.use(similarity);
    if (now - g.last > window) g.notes.clear();
    g.last = now;
    const std::uint64_t hash = hash_text(note);
    const bool known = std::find(g.notes.begin(), g.notes.end(), hash) != g.notes.end();
    if (!known && g.notes.size() < combined_from) g.notes.push_back(hash);
    return g.notes.size() >= combined_from;
}

} // namespace kubecoro::detail
