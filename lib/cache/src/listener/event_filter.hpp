#pragma once

#include "store/uid_set.hpp"

#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/notification.hpp>

namespace kubecoro::detail {

/** Applies one reader's filter to notifications.

    Translates the informer's events into the reader's: an update that starts to match becomes an add, one that stops
    matching becomes the deletion of the last delivered state. Remembers the delivered objects, so that the filter is
    called once per event, never for a deletion, and the reader's events stay a chain whatever the filter returns. Not
    thread safe: one reader at a time. */
class event_filter
{
public:
    explicit event_filter(std::function<bool(const object&)> f) : matches_(std::move(f)) {}
    explicit operator bool() const noexcept { return static_cast<bool>(matches_); }

    struct outcome
    {
        /// The event, possibly changed, is for the reader.
        bool passes = true;
        /// The filter's exception; the object then keeps its previous match result.
        result<> asked = {};
    };
    [[nodiscard]] outcome apply(notification<object>& n);
    /// Marks the object as known to the reader without an event, if it matches.
    [[nodiscard]] result<> assume(const object& o);

private:
    [[nodiscard]] result<bool> ask(const object& o) const;

    std::function<bool(const object&)> matches_;
    uid_set told_;
};

} // namespace kubecoro::detail
