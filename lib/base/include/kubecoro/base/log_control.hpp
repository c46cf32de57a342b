#pragma once

#include <kubecoro/base/log.hpp>

#include <atomic>
#include <memory>

namespace kubecoro {

/** A log level that can be changed while loggers use it: those that make() returns, their copies, and those made of them by
    with(). Thread safe. Copies refer to the same level. */
class log_control
{
public:
    /// Begins with this level.
    explicit log_control(log_level threshold = log_level::info);

    /// A logger that writes lines of at least the present level to the sink.
    [[nodiscard]] logger make(logger::sink to) const;
    /// Changes the level of all of them.
    void set(log_level threshold) const noexcept;
    /// The present level.
    [[nodiscard]] log_level threshold() const noexcept;

private:
    std::shared_ptr<std::atomic<log_level>> level_;
};

} // namespace kubecoro
