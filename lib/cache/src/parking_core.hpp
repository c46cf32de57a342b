#pragma once
// When to believe that a resource is gone, and how often to look whether it is back. Sans-io.

#include <kubecoro/base/backoff.hpp>
#include <kubecoro/base/failure.hpp>

#include <cstdint>
#include <optional>

namespace kubecoro {

/** Parks a reflector whose resource the server does not know any more: its definition was deleted.

    A single 404 is not believed, for a server that has just started answers it for what it will know in a moment. One of
    a resource that never was there is an ordinary failure: it is about to be defined, or misspelt, and somebody waits. */
class parking_core
{
public:
    parking_core(backoff_policy probe, std::uint64_t seed) : probe_(probe, seed) {}

    /** A list or a watch has failed. @param known  A list has succeeded before.
        @return the time to the next look when it is to be parked, or to stay so. */
    [[nodiscard]] std::optional<duration> failed(const failure& why, bool known);
    /// A list has succeeded.
    void succeeded() noexcept;
    [[nodiscard]] bool parked() const noexcept { return parked_; }

private:
    static constexpr unsigned believed_after = 2;

    backoff probe_;
    unsigned unknown_ = 0;
    bool parked_ = false;
};

} // namespace kubecoro
