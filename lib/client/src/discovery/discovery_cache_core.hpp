#pragma once
// Decides when a kept list of resources is read again. Sans-io.

#include <kubecoro/client/discovery.hpp>

#include <memory>

namespace kubecoro::detail {

/// A list of resources and when it was read. Not thread safe.
class discovery_cache_core
{
public:
    using list = std::shared_ptr<const discovered_resources>;

    explicit discovery_cache_core(discovery_options o) noexcept : options_(o) {}

    /// The list; null: it has to be read.
    [[nodiscard]] list current(time_point now) const noexcept;
    /// A name was not in a list. True: read it again.
    [[nodiscard]] bool may_read_after_miss(time_point now) const noexcept;
    /// A read has begun.
    void on_begin(time_point now) noexcept;
    /// It has ended. A list that was asked for before invalidate() is not kept.
    void on_read(list found, time_point now) noexcept;
    void invalidate() noexcept;

private:
    discovery_options options_;
    list list_;
    time_point read_at_{};
    time_point tried_at_{};
    bool invalidated_ = false;
};

} // namespace kubecoro::detail
