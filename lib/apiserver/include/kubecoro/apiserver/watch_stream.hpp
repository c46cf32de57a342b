// One open watch, sans-io: the front asks it for what there is to send.
#pragma once

#include <kubecoro/base/clock.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// What a watch has to send now.
struct watch_output
{
    /// Complete event lines, each with its newline, in order. Texts of one event are shared between watchers.
    std::vector<std::shared_ptr<const std::string>> lines = {};
    /// There is more at once: send these, then ask again without waiting.
    bool more = false;
    /// Nothing follows: send the lines, then the last chunk.
    bool ended = false;
};

/** A watch in progress.

    The front's loop: `next(now)`; write the lines; when `ended`, close; when `more`, again; else wait until the state
    of `resource()` changes (cluster_state_core::on_change) or `wake_at()` passes. Destroying the stream ends the watch.
    Not thread safe: used where the cluster state is used. May outlive the cluster state. */
class watch_stream
{
public:
    virtual ~watch_stream() = default;

    /// @param max_bytes  Stops taking further events once this much is gathered (at least one is).
    [[nodiscard]] virtual watch_output next(wall_time now, std::size_t max_bytes = 256 * 1024) = 0;

    /// When next() must be asked although nothing changed: a bookmark or the end of the watch is due. Empty: never.
    [[nodiscard]] virtual std::optional<wall_time> wake_at() const = 0;

    /// The resource as on_change names it: "pods", "deployments.apps".
    [[nodiscard]] virtual std::string_view resource() const noexcept = 0;
};

} // namespace kubecoro::apiserver
