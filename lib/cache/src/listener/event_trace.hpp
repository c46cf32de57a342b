#pragma once

#include <kubecoro/base/log.hpp>
#include <kubecoro/cache/notification.hpp>

#include <string_view>

namespace kubecoro::detail {

/** Writes one line at trace level for each station of an object on its way from the server to a handler: pushed,
    stored, distributed, handler begins, handler ended. The client writes the first one: decoded.

    While that level is off, a station costs one comparison. */
class event_trace
{
public:
    /// @param whose  "informer" or "handler"; must be a literal.
    event_trace(logger log, std::string_view whose, std::string name);
    [[nodiscard]] bool on() const noexcept { return on_; }
    void pass(std::string_view station, const object& o) const
    {
        if (on_) [[unlikely]]
            write(station, o);
    }
    void pass(std::string_view station, const notification<object>& n) const
    {
        if (on_) [[unlikely]]
            write(station, object_of(n));
    }

private:
    void write(std::string_view station, const object& o) const;

    logger log_;
    std::string_view whose_;
    std::string name_;
    bool on_;
};

} // namespace kubecoro::detail
