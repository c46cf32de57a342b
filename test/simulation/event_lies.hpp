#pragma once
// False events of watches, in both forms on the wire.

#include "journal.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/base/detail/random.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::simulation {

/// Bytes that no server should send, and the journal's words for them.
struct lie
{
    std::string words;
    std::string bytes;
};

/// Knows where the events of a watch end, and falsifies them.
class event_lies
{
public:
    virtual ~event_lies() = default;

    /// The length of the first event; 0 = it is not complete.
    [[nodiscard]] virtual std::size_t first_event(std::string_view bytes) const = 0;
    [[nodiscard]] virtual bool is_bookmark(std::string_view event) const = 0;
    /// A bad end of the watch instead of this event: cut, damaged, or with an ERROR event.
    [[nodiscard]] virtual lie ending(detail::random_source& random, std::string_view event) const = 0;
    /// An event to be skipped. No bytes: the last bookmark again.
    [[nodiscard]] virtual lie wrong_event(detail::random_source& random) const = 0;
};

[[nodiscard]] std::unique_ptr<event_lies> lies_in(wire_form form);

} // namespace kubecoro::simulation
