#pragma once
// One cluster of a set, while it is a member.

#include <kubecoro/manager/cluster_stats.hpp>
#include <kubecoro/manager/manager.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace kubecoro::detail {

class managed_part;

/// State of a cluster that joins, works or rests. Thread safe.
class cluster_member
{
public:
    explicit cluster_member(std::string n) : name(std::move(n)) {}

    /// An attempt begins.
    void begin()
    {
        std::lock_guard lock(mutex_);
        ++attempts_;
        resting_ = false;
    }
    /// The manager that works there, while it does.
    void works(std::shared_ptr<manager> m)
    {
        std::lock_guard lock(mutex_);
        works_ = std::move(m);
    }
    /// The attempt has ended.
    void ended(const result<>& outcome)
    {
        std::lock_guard lock(mutex_);
        works_.reset();
        resting_ = true;
        if (!outcome) last_failure_ = outcome.error();
    }
    [[nodiscard]] cluster_stats stats() const;

    const std::string name;
    /// Constant after the join.
    std::shared_ptr<managed_part> part = {};

private:
    mutable std::mutex mutex_;
    std::shared_ptr<manager> works_;
    std::uint64_t attempts_ = 0;
    bool resting_ = false;
    std::optional<failure> last_failure_;
};

} // namespace kubecoro::detail
