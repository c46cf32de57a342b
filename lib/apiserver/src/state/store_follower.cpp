#include "state/store_follower.hpp"

namespace kubecoro::apiserver {

void store_follower::follow()
{
    const bool missed = next_ < store_->first_sequence() || replacements_ != store_->replacements();
    const bool starts_over = stale_ || missed;
    if (!starts_over && next_ == store_->end_sequence()) return;
    stale_ = true; // until all is noted
    if (starts_over) {
        clear();
        replacements_ = store_->replacements();
        for (const auto& [key, object] : store_->objects()) put(object);
        next_ = store_->end_sequence();
    }
    for (; next_ < store_->end_sequence(); ++next_) {
        const auto& change = store_->at(next_);
        erase(change.object->key);
        if (change.type != change_type::deleted) put(change.object);
    }
    stale_ = false;
}

} // namespace kubecoro::apiserver
