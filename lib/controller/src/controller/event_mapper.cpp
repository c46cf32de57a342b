#include "controller/event_mapper.hpp"

#include <kubecoro/base/catch_failure.hpp>

#include <exception>
#include <new>
#include <utility>

namespace kubecoro::detail {
namespace {

/// True for objects that existed before this controller and for resyncs: nothing has changed.
bool is_old_news(const notification<object>& n) noexcept
{
    if (const auto* a = std::get_if<added<object>>(&n)) return a->initial;
    const auto* u = std::get_if<updated<object>>(&n);
    return u != nullptr && u->resync();
}

} // namespace

void event_mapper::map(std::span<const notification<object>> events, bool traced)
{
    changed_.clear();
    unchanged_.clear();
    origins_.clear();
    failed_.clear();
    for (const auto& n : events) {
        const bool old = is_old_news(n);
        auto& keys = old ? unchanged_ : changed_;
        const std::size_t before = keys.size();
        try {
            if (filter_ && !filter_(n)) continue;
            std::as_const(map_)(n, key_sink(keys));
            if (!keys.complete()) throw std::bad_alloc();
        } catch (...) {
            if (!keys.complete()) throw; // no fault of the user's function, and its event must not be lost
            failed_.push_back({object_key(object_of(n).key()), to_failure(std::current_exception())});
        }
        if (traced && keys.size() != before)
            origins_.push_back({.event = static_cast<std::size_t>(&n - events.data()),
                                .unchanged = old,
                                .first = before,
                                .last = keys.size()});
    }
}

} // namespace kubecoro::detail
