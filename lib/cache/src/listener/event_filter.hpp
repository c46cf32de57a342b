#pragma once

#include "store/uid_set.hpp"

#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/notification.hpp>

namespace kubecoro::detail {

/** What a reader hears of who asked for some objects only.

    The informer's events in, the reader's out: an update that begins to match is an add, one that ceases to match is the
    deletion of what the reader was told last. Remembers whom the reader was told of, so that the question is asked
    once an event, a deletion asks none, and the reader's events stay a chain whatever the answers. Not thread safe: one
    reader at a time. */
class event_filter
{
public:
    explicit event_filter(object_filter f) : matches_(std::move(f)) {}
    explicit operator bool() const noexcept { return static_cast<bool>(matches_); }

    struct outcome
    {
        /// The event, perhaps changed, is for the reader.
        bool passes = true;
        /// What the question threw; the object then counts as it did before.
        result<> asked = {};
    };
    [[nodiscard]] outcome apply(notification& n);
    /// The reader knows the object as one that was there, without having been told.
    [[nodiscard]] result<> assume(const object& o);

private:
    [[nodiscard]] result<bool> ask(const object& o) const;

    object_filter matches_;
    uid_set told_;
};

} // namespace kubecoro::detail
