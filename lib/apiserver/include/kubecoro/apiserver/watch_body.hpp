// One open watch or followed log, sans-io: the front pulls its output.
#pragma once

#include <kubecoro/base/clock.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// The output of a watch that is ready to be sent.
struct watch_output
{
    /// Complete events, in order: JSON lines with their newlines, or frames of protobuf; or parts of a log. Watchers
    /// share the bytes of an event.
    std::vector<std::shared_ptr<const std::string>> lines = {};
    /// More output is ready: send these lines, then call next() again without waiting.
    bool more = false;
    /// The watch has ended: send the lines, then the last chunk.
    bool ended = false;
};

/** A watch in progress, or a log that is followed.

    The front's loop: `next(now)`; write the lines; when `ended`, close; when `more`, repeat; otherwise wait until
    `resource()` changes (cluster_state_core::on_change) or `wake_at()` passes. Destroying the stream ends the watch.
    Not thread safe: used on the cluster state's strand. May outlive the cluster state. */
class watch_body
{
public:
    virtual ~watch_body() = default;

    /// @param max_bytes  Takes at least one event, and no further ones once this many bytes are gathered.
    [[nodiscard]] virtual watch_output next(wall_time now, std::size_t max_bytes = 256 * 1024) = 0;

    /// When next() must be called even without a change: a bookmark or the end of the watch is due. Empty: never.
    [[nodiscard]] virtual std::optional<wall_time> wake_at() const = 0;

    /// The resource's name as passed to on_change: "pods", "deployments.apps", "pods/log".
    [[nodiscard]] virtual std::string_view resource() const noexcept = 0;
};

} // namespace kubecoro::apiserver
