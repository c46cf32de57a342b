#pragma once
// When to believe that a resource is gone, and how often to look whether it is back. Sans-io.

#include <kubecoro/base/backoff.hpp>
#include <kubecoro/base/failure.hpp>

#include <cstdint>
#include <optional>

namespace kubecoro::detail {

/** Parks a reflector whose resource the server does not know any more: its definition was deleted.

    A single 404 is not believed, for a server that has just started answers it for what it will know in a moment; two
    are when no other failure or answer came between them. A 404 of a resource that never was there is an ordinary
    failure: it is about to be defined, or misspelt, and somebody waits. */
class parking_core
{
public:
    parking_core(backoff_policy probe, std::uint64_t seed) : probe_(probe, seed) {}

    struct look
    {
        duration after;
        /// The resource has just been parked.
        bool first;
    };

    /// A list or a watch has failed. @param known  A list has succeeded before.
    void failed(const failure& why, bool known) noexcept;
    /// The server has given another answer than a 404: one that it gave before is not believed.
    void answered() noexcept { unknown_ = 0; }
    /// A list has succeeded.
    void succeeded() noexcept;
    [[nodiscard]] bool parked() const noexcept { return parked_; }
    /// While parked: when to look whether the resource is back.
    [[nodiscard]] std::optional<look> next_look();

private:
    static constexpr unsigned believed_after = 2;

    backoff probe_;
    unsigned unknown_ = 0;
    bool parked_ = false;
};

} // namespace kubecoro::detail
