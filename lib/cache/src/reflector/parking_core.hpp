#pragma once
// Decides when a resource counts as gone, and when to probe for its return. Sans-io.

#include <kubecoro/base/backoff.hpp>
#include <kubecoro/base/result.hpp>

#include <cstdint>
#include <optional>

namespace kubecoro::detail {

/** Parks a reflector whose resource the server no longer serves because its definition was deleted.

    A single 404 is not enough, because a server that has just started returns it for resources it will serve soon; two
    without another failure or response in between are. A 404 of a resource that was never served is an ordinary
    failure: its definition is still to come, or the name is wrong, and a caller waits for the result. */
class parking_core
{
public:
    parking_core(backoff_policy probe, std::uint64_t seed) : probe_(probe, seed) {}

    struct look
    {
        duration after;
        /// The resource was parked just now.
        bool first;
    };

    /// Called when a list or a watch has failed. @param known  True when a list has succeeded before.
    void failed(const failure& why, bool known) noexcept;
    /// Called for any response other than a 404: an earlier 404 no longer counts.
    void answered() noexcept { unknown_ = 0; }
    /// Called when a list has succeeded.
    void succeeded() noexcept;
    [[nodiscard]] bool parked() const noexcept { return parked_; }
    /// While parked: the delay before the next probe.
    [[nodiscard]] std::optional<look> next_look();

private:
    static constexpr unsigned believed_after = 2;

    backoff probe_;
    unsigned unknown_ = 0;
    bool parked_ = false;
};

} // namespace kubecoro::detail
