#pragma once

#include "events/event_draft.hpp"

#include <kubecoro/base/clock.hpp>

#include <cstdint>
#include <list>
#include <optional>
#include <string>

namespace kubecoro::detail {

/// An event and its repetitions.
struct event_series
{
    using id = std::uint64_t;

    event_draft what;
    /// The event's own namespace and name.
    std::string ns;
    std::string name;
    wall_time first;
    wall_time last;
    /// Monotonic time of the last repetition.
    time_point last_at;
    /// Time of the last successful request.
    time_point stored_at;
    unsigned count = 1;

    /// The count that the server is to have, the one that it has (0 = no event), and the one that is being sent.
    unsigned wanted = 1;
    unsigned stored = 0;
    unsigned sending = 0;
    unsigned attempts = 0;

    /// The text by which repetitions find it; empty when they no longer do.
    std::string key;
    /// Its place in the order of use; empty while it waits to be sent.
    std::optional<std::list<id>::iterator> idle;

    [[nodiscard]] std::size_t bytes() const noexcept
    {
        constexpr std::size_t own = sizeof(event_series) + 128; // with its nodes in the tables
        std::size_t texts = ns.size() + name.size() + 2 * key.size();
        for (const auto* t : {&what.regarding, &what.related})
            texts += t->api_version.size() + t->kind.size() + t->ns.size() + t->name.size() + t->uid.size() +
                     t->resource_version.size() + t->field_path.size();
        return own + texts + what.reason.size() + what.action.size() + what.note.size();
    }
};

} // namespace kubecoro::detail
