#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

namespace kubecoro::detail {

/// An informer that keeps the objects of a share, as the share sees it. Thread safe.
struct share_follower
{
    /// Wakes the informer after a change.
    wake_signal news = {};
    /// The store has all objects of the share as it was after this many gains.
    std::atomic<std::uint64_t> shown{0};
};

/** The part of all objects that informers of this process keep, where several processes divide them: see
    informer_options::share. key_share is one. Thread safe. */
class object_share
{
public:
    virtual ~object_share() = default;
    /// Whether objects with this key are kept at present. Called for each item and event that is decoded.
    [[nodiscard]] virtual bool keeps(object_key_view key) const noexcept = 0;
    /// Number of changes by which keys may have come; others take keys away alone. 0 = there is no key yet, and nothing to list.
    [[nodiscard]] virtual std::uint64_t gains() const noexcept = 0;
    /// Whether the namespace alone decides, so that objects of all kinds are divided alike.
    [[nodiscard]] virtual bool by_namespace() const noexcept = 0;
    /// Notifies the informer of every later change, for as long as it lives.
    virtual void add(const std::shared_ptr<share_follower>& informer) = 0;
    /// Called after a change of share_follower::shown.
    virtual void shown() = 0;
};

} // namespace kubecoro::detail
