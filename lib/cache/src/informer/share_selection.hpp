#pragma once

#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/cache/detail/object_share.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace kubecoro::detail {

/// An informer's decoders know the stored objects, and want those of its share. Thread safe.
class share_selection final : public selecting_objects, public former_objects
{
public:
    /// @param known  Null: nothing is known.
    share_selection(std::shared_ptr<const known_objects> known, std::shared_ptr<const object_share> share)
        : known_(std::move(known)),
          formers_(dynamic_cast<const former_objects*>(known_.get())),
          share_(std::move(share))
    {
    }
    [[nodiscard]] object find(object_key_view key, std::string_view uid, std::string_view version) const override
    {
        return known_ ? known_->find(key, uid, version) : object();
    }
    void expect(object_key_view key) const override
    {
        if (known_) known_->expect(key);
    }
    [[nodiscard]] object former(object_key_view key) const override
    {
        return formers_ != nullptr ? formers_->former(key) : object();
    }
    [[nodiscard]] bool wants(object_key_view key) const noexcept override
    {
        if (share_->keeps(key)) return true;
        passed_over_.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    /// Number of items and events that were not wanted.
    [[nodiscard]] std::uint64_t passed_over() const noexcept { return passed_over_.load(std::memory_order_relaxed); }

private:
    const std::shared_ptr<const known_objects> known_;
    const former_objects* const formers_;
    const std::shared_ptr<const object_share> share_;
    mutable std::atomic<std::uint64_t> passed_over_{0};
};

} // namespace kubecoro::detail
